"""Keras and TensorFlow: float32 against the policies of mixed precision."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any


def measure(told: dict[str, Any], so_far: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    shared = importlib.import_module("measured_keras")
    timing = importlib.import_module("measured_rates")
    keras = shared.start(told)
    batch = int(told["batch"])
    policies = {"float32": "float32", "bfloat16": "mixed_bfloat16"}
    if shared.device(keras) != "cpu":
        policies["float16"] = "mixed_float16"
    trainers = {name: shared.Trainer(keras, told, policy) for name, policy in policies.items()}
    common = next(iter(trainers.values())).told()
    for trainer in trainers.values():
        trainer.load(batch)
        trainer.step()
        trainer.step()
    found = timing.in_turns(
        {
            name: lambda trainer=trainer: timing.rate(trainer.step, batch)
            for name, trainer in trainers.items()
        },
        time.monotonic() + float(told["seconds"]),
        so_far=lambda found: so_far({**common, "variants": timing.told_of(found, batch)}),
    )
    return {**common, "variants": timing.told_of(found, batch), "capability": _capability(keras)}


def _capability(keras: Any) -> str:
    """`8.0`, of NVIDIA's GPUs, where TensorFlow computes."""
    if keras.backend.backend() != "tensorflow":
        return ""
    config = importlib.import_module("tensorflow").config
    for gpu in config.list_physical_devices("GPU"):
        found = config.experimental.get_device_details(gpu).get("compute_capability")
        return ".".join(map(str, found)) if found else ""
    return ""
