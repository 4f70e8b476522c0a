"""PyTorch: the product on CUDA, ROCm, Intel or Apple GPUs, else on the CPU."""

from __future__ import annotations

import importlib
from typing import Any


def look(left: list[list[float]], right: list[list[float]]) -> dict[str, Any]:
    torch = importlib.import_module("torch")
    devices, kind = _devices(torch)
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


def _devices(torch: Any) -> tuple[list[str], str]:
    if torch.cuda.is_available():
        numbers = range(torch.cuda.device_count())
        names = [f"cuda:{number} {torch.cuda.get_device_name(number)}" for number in numbers]
        return names, "rocm" if getattr(torch.version, "hip", None) else "cuda"
    backends: Any = getattr(torch, "backends", None)
    if hasattr(backends, "mps") and backends.mps.is_available():
        return ["mps"], "mps"
    if getattr(torch, "xpu", None) and torch.xpu.is_available():
        return [f"xpu:{number}" for number in range(torch.xpu.device_count())], "xpu"
    return [], "cpu"


def _refusal(torch: Any) -> str:
    """`is_available` keeps the reason to itself; using the device tells it."""
    if not (torch.version.cuda or getattr(torch.version, "hip", None)):
        return "this build has no GPU code"
    try:
        torch.tensor([1.0], device="cuda")
    except Exception as error:
        return str(error)
    return ""
