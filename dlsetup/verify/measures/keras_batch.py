"""Keras and TensorFlow: how large a batch fits, and how fast each size is."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any


def measure(told: dict[str, Any], so_far: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    shared = importlib.import_module("measured_keras")
    timing = importlib.import_module("measured_rates")
    keras = shared.start(told)
    trainer = shared.Trainer(keras, told)
    common = trainer.told()
    where = common["device"]
    room = int(told.get("room_bytes", 0)) if where == "cpu" else 0

    def attempt(size: int) -> dict[str, Any] | None:
        shared.forget(keras, where)
        try:
            trainer.load(size)
            trainer.step()
            trainer.step()
            found = timing.rates(trainer.step, size)
        except Exception as error:
            if not shared.is_short(error):
                raise
            return None
        return {"rates": found, "bytes": shared.taken(keras, where)}

    growth = importlib.import_module("measured_growth").Growth(
        attempt,
        until=time.monotonic() + float(told["seconds"]),
        room=room,
        flat=where == "cpu",
        so_far=lambda seen: so_far({**common, **seen}),
    )
    return {**common, **growth.grow(), "room_bytes": room}
