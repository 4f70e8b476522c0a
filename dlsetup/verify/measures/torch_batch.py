"""PyTorch: how large a batch fits, and how fast each size is."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any


def measure(told: dict[str, Any], so_far: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    shared = importlib.import_module("measured_torch")
    timing = importlib.import_module("measured_rates")
    torch, trainer = shared.start({**told, "batch": 0})
    memory = importlib.import_module("measured_torch_memory").DeviceMemory(
        torch, trainer.where, int(told.get("room_bytes", 0))
    )
    step, common = trainer.stepper(), trainer.told()

    def attempt(size: int) -> dict[str, Any] | None:
        trainer.forget()
        memory.begin()
        try:
            trainer.load(size)
            step()
            found = timing.rates(step, size, settle=trainer.settle)
        except (RuntimeError, MemoryError) as error:
            if not shared.is_short(error, went_before=growth.fits > 0):
                raise
            memory.ended()
            return None
        return {"rates": found, "bytes": memory.taken()}

    growth = importlib.import_module("measured_growth").Growth(
        attempt,
        until=time.monotonic() + float(told["seconds"]),
        # An allocator that is bounded says itself where memory ends.
        room=memory.room if trainer.where == "cpu" else 0,
        flat=trainer.where == "cpu",
        so_far=lambda seen: so_far({**common, **seen}),
    )
    seen = growth.grow()
    return {**common, **seen, "room_bytes": memory.room, "wasted_bytes": memory.wasted}
