"""PyTorch: the product on CUDA, ROCm, Intel or Apple GPUs, else on the CPU."""

from __future__ import annotations

import importlib
from typing import Any


def look(left: list[list[float]], right: list[list[float]]) -> dict[str, Any]:
    torch = importlib.import_module("torch")
    devices, kind = importlib.import_module("on_torch").devices(torch)
    place = "cuda" if kind == "rocm" else kind
    product = torch.tensor(left, dtype=torch.float32, device=place) @ torch.tensor(
        right, dtype=torch.float32, device=place
    )
    return {
        "version": torch.__version__,
        "devices": [*devices, "cpu"],
        "device": kind,
        "computed": product.tolist(),
        "remark": _refusal(torch) if kind == "cpu" else "",
    }


def _refusal(torch: Any) -> str:
    """`is_available` keeps the reason to itself; using the device tells it."""
    if not (torch.version.cuda or getattr(torch.version, "hip", None)):
        return "this build has no GPU code"
    try:
        torch.tensor([1.0], device="cuda")
    except Exception as error:
        return str(error)
    return ""
