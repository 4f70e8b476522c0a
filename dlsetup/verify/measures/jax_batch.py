"""JAX: how large a batch fits, and how fast each size is."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any


def measure(told: dict[str, Any], so_far: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    shared = importlib.import_module("measured_jax")
    timing = importlib.import_module("measured_rates")
    process = importlib.import_module("measured_memory")
    jax = shared.ready()
    trainer = shared.Trainer(jax, told)
    common = trainer.told()
    on_cpu = common["device"] == "cpu"
    room = int(told.get("room_bytes", 0)) if on_cpu else 0

    def attempt(size: int) -> dict[str, Any] | None:
        process.forget_peak()
        try:
            trainer.load(size)
            trainer.step()
            found = timing.rates(trainer.step, size, settle=trainer.settle)
        except Exception as error:
            if not shared.is_short(error):
                raise
            return None
        return {"rates": found, "bytes": process.peak() if on_cpu else _of_device(jax)}

    growth = importlib.import_module("measured_growth").Growth(
        attempt,
        until=time.monotonic() + float(told["seconds"]),
        room=room,
        flat=on_cpu,
        so_far=lambda seen: so_far({**common, **seen}),
    )
    return {**common, **growth.grow(), "room_bytes": room}


def _of_device(jax: Any) -> int:
    """The most so far: JAX does not forget it, and sizes mostly grow."""
    return int((jax.devices()[0].memory_stats() or {}).get("peak_bytes_in_use", 0))
