"""JAX: a function of one row, mapped over all rows."""

from __future__ import annotations

import importlib
from typing import Any


def prove() -> dict[str, Any]:
    shared = importlib.import_module("on_jax")
    jax = shared.ready()
    numbers = importlib.import_module("in_numpy")
    left, right = numbers.product()
    rows = jax.vmap(lambda row: row @ right)(left)
    return shared.told(jax, numbers.same("rows", rows, left @ right))
