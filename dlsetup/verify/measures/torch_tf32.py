"""PyTorch: products of float32 as they usually are against TF32. Convolutions take TF32 by themselves."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any


def measure(told: dict[str, Any], so_far: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    until = time.monotonic() + float(told["seconds"])
    torch, trainer = importlib.import_module("measured_torch").start(told)
    timing = importlib.import_module("measured_rates")
    if trainer.where != "cuda" or getattr(torch.version, "hip", None):
        return {"untried": "TF32 is of NVIDIA GPUs"}
    batch, common, step = int(told["batch"]), trainer.told(), trainer.stepper()

    def at(precision: str) -> Callable[[], float]:
        def measured() -> float:
            torch.set_float32_matmul_precision(precision)
            step()
            return float(timing.rate(step, batch, settle=trainer.settle))

        return measured

    found = timing.in_turns({"float32": at("highest"), "tf32": at("high")}, until)
    capability = ".".join(map(str, torch.cuda.get_device_capability(0)))
    return {**common, "variants": timing.told_of(found, batch), "capability": capability}
