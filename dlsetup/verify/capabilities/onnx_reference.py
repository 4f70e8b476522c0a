"""ONNX: a model is made, checked and evaluated."""

from __future__ import annotations

import importlib
from typing import Any


def prove() -> dict[str, Any]:
    onnx = importlib.import_module("onnx")
    reference = importlib.import_module("onnx.reference")
    numbers = importlib.import_module("in_numpy")
    left, right = numbers.product()
    model = importlib.import_module("in_onnx").product_of(onnx, left, right)
    onnx.checker.check_model(model, full_check=True)
    computed = reference.ReferenceEvaluator(model).run(None, {"left": left, "right": right})[0]
    return {"device": "cpu", "evidence": [numbers.same("product", computed, left @ right)]}
