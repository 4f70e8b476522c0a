"""JAX: compiled steps lower the loss."""

from __future__ import annotations

import importlib
from typing import Any


def prove() -> dict[str, Any]:
    shared = importlib.import_module("on_jax")
    jax = shared.ready()
    numpy = jax.numpy
    inputs = jax.random.normal(jax.random.PRNGKey(0), (64, 8))
    targets = inputs.sum(axis=1, keepdims=True)

    def loss(weight: Any) -> Any:
        return ((inputs @ weight - targets) ** 2).mean()

    step = jax.jit(lambda weight: (weight - 0.05 * jax.grad(loss)(weight), loss(weight)))
    weight, losses = numpy.zeros((8, 1)), []
    for _ in range(20):
        weight, value = step(weight)
        losses.append(float(value))
    return shared.told(jax, importlib.import_module("training").learned(losses))
