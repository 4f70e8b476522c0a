"""NumPy: the product on the CPU."""

from __future__ import annotations

import importlib
from typing import Any


def look(left: list[list[float]], right: list[list[float]]) -> dict[str, Any]:
    numpy = importlib.import_module("numpy")
    product = numpy.array(left) @ numpy.array(right)
    return {
        "version": numpy.__version__,
        "devices": ["cpu"],
        "device": "cpu",
        "computed": product.tolist(),
    }
