"""JAX: a compiled function computes what the plain one does."""

from __future__ import annotations

import importlib
from typing import Any


def prove() -> dict[str, Any]:
    shared = importlib.import_module("on_jax")
    jax = shared.ready()
    numbers = importlib.import_module("in_numpy")
    left, right = numbers.product()

    def both(one: Any, other: Any) -> Any:
        return jax.numpy.tanh(one @ other / 64).sum(axis=0)

    said = numbers.same(
        "compiled function", jax.jit(both)(left, right), both(left, right), like="the plain one"
    )
    return shared.told(jax, said)
