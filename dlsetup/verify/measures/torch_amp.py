"""PyTorch: float32 against mixed precision in each type that autocast takes here."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any


def measure(told: dict[str, Any], so_far: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    until = time.monotonic() + float(told["seconds"])
    torch, trainer = importlib.import_module("measured_torch").start(told)
    timing = importlib.import_module("measured_rates")
    batch, common = int(told["batch"]), trainer.told()
    steps = {"float32": trainer.stepper()}
    for dtype in _types(torch, trainer.where):
        steps[str(dtype).replace("torch.", "")] = trainer.stepper(dtype)
    for step in steps.values():
        step()
    found = timing.in_turns(
        {
            name: lambda step=step: timing.rate(step, batch, settle=trainer.settle)
            for name, step in steps.items()
        },
        until,
        so_far=lambda found: so_far({**common, "variants": timing.told_of(found, batch)}),
    )
    return {
        **common,
        "variants": timing.told_of(found, batch),
        "capability": _capability(torch, trainer.where),
    }


def _types(torch: Any, where: str) -> list[Any]:
    if where == "cpu":
        return [torch.bfloat16]
    if where == "cuda" and not torch.cuda.is_bf16_supported():
        return [torch.float16]
    return [torch.bfloat16, torch.float16] if where in ("cuda", "xpu") else [torch.float16]


def _capability(torch: Any, where: str) -> str:
    """`8.0`, of NVIDIA's GPUs."""
    if where != "cuda" or getattr(torch.version, "hip", None):
        return ""
    return ".".join(map(str, torch.cuda.get_device_capability(0)))
