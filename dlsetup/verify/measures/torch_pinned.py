"""PyTorch: batches copied to the GPU from pageable memory against pinned memory."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any


def measure(told: dict[str, Any], so_far: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    until = time.monotonic() + float(told["seconds"])
    _, trainer = importlib.import_module("measured_torch").start(told)
    timing = importlib.import_module("measured_rates")
    if trainer.where != "cuda":
        return {"untried": "nothing is copied to a GPU of its own memory"}
    batch = int(told["batch"])
    pageable = trainer.batch_of(batch)[0]
    pinned = pageable.pin_memory()
    found = timing.in_turns(
        {
            "pageable": lambda: timing.rate(lambda: pageable.to("cuda"), batch, settle=trainer.settle),
            "pinned": lambda: timing.rate(
                lambda: pinned.to("cuda", non_blocking=True), batch, settle=trainer.settle
            ),
        },
        until,
    )
    return {**trainer.told(), "variants": timing.told_of(found, batch)}
