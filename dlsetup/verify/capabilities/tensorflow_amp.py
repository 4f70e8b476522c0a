"""TensorFlow: steps in mixed precision lower the loss."""

from __future__ import annotations

import importlib
from typing import Any


def prove() -> dict[str, Any]:
    shared = importlib.import_module("on_tensorflow")
    tensorflow = shared.ready()
    keras = tensorflow.keras
    gpu = bool(tensorflow.config.list_physical_devices("GPU"))
    keras.mixed_precision.set_global_policy("mixed_float16" if gpu else "mixed_bfloat16")
    tensorflow.random.set_seed(7)
    inputs = tensorflow.random.normal((64, 8))
    targets = tensorflow.reduce_sum(inputs, axis=1, keepdims=True)
    network = keras.Sequential([keras.layers.Dense(32, "relu"), keras.layers.Dense(1, dtype="float32")])
    network.compile(keras.optimizers.SGD(0.02), "mse")
    losses = network.fit(inputs, targets, batch_size=16, epochs=5, verbose=0).history["loss"]
    policy = keras.mixed_precision.global_policy().name
    return shared.told(tensorflow, policy, importlib.import_module("training").learned(losses))
