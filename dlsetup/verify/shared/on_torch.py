"""Where PyTorch computes here, and what a program tells of it."""

from __future__ import annotations

from typing import Any


def devices(torch: Any) -> tuple[list[str], str]:
    """The accelerators that it sees, and their kind: `cuda`, `rocm`, `mps`, `xpu`, or `cpu`."""
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


def place(torch: Any) -> str:
    """The word for `device=`."""
    kind = devices(torch)[1]
    return "cuda" if kind == "rocm" else kind


def told(torch: Any, *evidence: str) -> dict[str, Any]:
    """What was seen, with where, and the most memory of the GPU that was allocated."""
    kind = devices(torch)[1]
    peak = torch.cuda.max_memory_allocated() if kind in ("cuda", "rocm") else 0
    return {"device": kind, "evidence": list(evidence), "gpu_peak_bytes": peak}


def regression(torch: Any) -> tuple[Any, Any, Any]:
    """A network of two layers, and inputs and targets that it can learn, on the device."""
    torch.manual_seed(7)
    where = place(torch)
    network = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1)).to(where)
    inputs = torch.randn(64, 8, device=where)
    return network, inputs, inputs.sum(dim=1, keepdim=True)
