"""TensorFlow: every variable gets a gradient, and it is the one that is known."""

from __future__ import annotations

import importlib
from typing import Any


def prove() -> dict[str, Any]:
    shared = importlib.import_module("on_tensorflow")
    tensorflow = shared.ready()
    numbers = importlib.import_module("in_numpy")
    inputs, _ = numbers.product()
    variables = {"weight": tensorflow.Variable(tensorflow.ones((64, 1))), "bias": tensorflow.Variable([1.0])}
    with tensorflow.GradientTape() as tape:
        rest = inputs @ variables["weight"] + variables["bias"]
        loss = tensorflow.reduce_mean(rest**2)
    gradients = tape.gradient(loss, variables)
    without = [name for name, item in gradients.items() if item is None]
    if without:
        raise AssertionError(f"no gradient for {', '.join(without)}")
    wanted = 2 * inputs.T @ (inputs.sum(axis=1, keepdims=True) + 1) / 64
    said = numbers.same("gradient", gradients["weight"].numpy(), wanted, 1e-2)
    return shared.told(tensorflow, f"{len(gradients)} variables have gradients", said)
