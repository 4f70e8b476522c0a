"""Keras: a matrix product of Keras 3 on a backend that is there; Keras 2 has only to find its TensorFlow."""

from __future__ import annotations

import importlib
import importlib.util
import os
from typing import Any

BACKENDS = ("tensorflow", "jax", "torch")
"""In the order in which Keras itself would choose: the first, where nobody says otherwise."""


def look(left: list[list[float]], right: list[list[float]]) -> dict[str, Any]:
    os.environ.setdefault("KERAS_BACKEND", backend())
    keras = importlib.import_module("keras")
    seen: dict[str, Any] = {"version": keras.__version__}
    if hasattr(keras, "ops"):
        one, other = (keras.ops.convert_to_tensor(rows, "float32") for rows in (left, right))
        seen["computed"] = keras.ops.convert_to_numpy(keras.ops.matmul(one, other)).tolist()
    return seen


def backend() -> str:
    """The first backend that is installed; without any, the one whose absence Keras then complains of."""
    found = (name for name in BACKENDS if importlib.util.find_spec(name) is not None)
    return next(found, BACKENDS[0])
