"""JAX: a convolution and a matrix product are those of NumPy."""

from __future__ import annotations

import importlib
from typing import Any


def prove() -> dict[str, Any]:
    shared = importlib.import_module("on_jax")
    jax = shared.ready()
    numbers = importlib.import_module("in_numpy")
    pictures, filters = numbers.images()
    left, right = numbers.product()
    folded = jax.lax.conv(pictures, filters, window_strides=(1, 1), padding="VALID")
    return shared.told(
        jax,
        numbers.same("convolution", folded, numbers.convolved(pictures, filters)),
        numbers.same("product", jax.numpy.matmul(left, right), left @ right),
    )
