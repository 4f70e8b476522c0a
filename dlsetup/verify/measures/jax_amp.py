"""JAX: everything in float32 against everything in bfloat16."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any


def measure(told: dict[str, Any], so_far: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    shared = importlib.import_module("measured_jax")
    timing = importlib.import_module("measured_rates")
    jax = shared.ready()
    batch = int(told["batch"])
    trainers = {name: shared.Trainer(jax, told, name) for name in ("float32", "bfloat16")}
    common = trainers["float32"].told()
    for trainer in trainers.values():
        trainer.load(batch)
        trainer.step()
    found = timing.in_turns(
        {
            name: lambda trainer=trainer: timing.rate(trainer.step, batch, settle=trainer.settle)
            for name, trainer in trainers.items()
        },
        time.monotonic() + float(told["seconds"]),
        so_far=lambda found: so_far({**common, "variants": timing.told_of(found, batch)}),
    )
    capability = str(getattr(jax.devices()[0], "compute_capability", ""))
    return {**common, "variants": timing.told_of(found, batch), "capability": capability}
