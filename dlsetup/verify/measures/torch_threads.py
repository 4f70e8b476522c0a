"""PyTorch on the CPU: how many threads compute fastest."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any

BATCH = 8


def measure(told: dict[str, Any], so_far: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    until = time.monotonic() + float(told["seconds"])
    torch, trainer = importlib.import_module("measured_torch").start({**told, "batch": BATCH})
    timing = importlib.import_module("measured_rates")
    if trainer.where != "cpu":
        return {"untried": "it computes on the GPU"}
    usual = torch.get_num_threads()
    batch, step = BATCH, trainer.stepper()
    common = {**trainer.told(), "usual": usual}

    def at(count: int) -> Callable[[], float]:
        def measured() -> float:
            torch.set_num_threads(count)
            step()
            return float(timing.rate(step, batch))

        return measured

    counts = sorted({usual, *map(int, told.get("threads", ()))})
    found = timing.in_turns(
        {f"{count} thread{'' if count == 1 else 's'}": at(count) for count in counts},
        until,
        so_far=lambda found: so_far({**common, "variants": timing.told_of(found, batch)}),
    )
    return {**common, "variants": timing.told_of(found, batch)}
