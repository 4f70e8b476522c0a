"""OpenCV: the product by its own linear algebra."""

from __future__ import annotations

import importlib
from typing import Any


def look(left: list[list[float]], right: list[list[float]]) -> dict[str, Any]:
    cv2 = importlib.import_module("cv2")
    numpy = importlib.import_module("numpy")
    product = cv2.gemm(numpy.array(left), numpy.array(right), 1.0, None, 0.0)
    return {
        "version": cv2.__version__,
        "devices": ["cpu"],
        "device": "cpu",
        "computed": product.tolist(),
    }
