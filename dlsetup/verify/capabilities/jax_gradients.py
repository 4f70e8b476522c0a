"""JAX: the gradient is the one that is known, and reaches every parameter."""

from __future__ import annotations

import importlib
from typing import Any


def prove() -> dict[str, Any]:
    shared = importlib.import_module("on_jax")
    jax = shared.ready()
    numbers = importlib.import_module("in_numpy")
    inputs, _ = numbers.product()

    def loss(parameters: dict[str, Any]) -> Any:
        return ((inputs @ parameters["weight"] + parameters["bias"]) ** 2).mean()

    parameters = {"weight": jax.numpy.ones((64, 1)), "bias": jax.numpy.ones((1,))}
    gradients = jax.grad(loss)(parameters)
    without = [name for name, item in gradients.items() if not jax.numpy.isfinite(item).all()]
    if without:
        raise AssertionError(f"no finite gradient for {', '.join(without)}")
    rest = inputs.sum(axis=1, keepdims=True) + 1
    said = numbers.same("gradient", gradients["weight"], 2 * inputs.T @ rest / 64, 1e-2)
    return shared.told(jax, f"{len(gradients)} parameters have gradients", said)
