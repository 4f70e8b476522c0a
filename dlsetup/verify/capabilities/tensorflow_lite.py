"""TensorFlow: a function is converted for LiteRT and computes the same there."""

from __future__ import annotations

import importlib
from typing import Any


def prove() -> dict[str, Any]:
    shared = importlib.import_module("on_tensorflow")
    tensorflow = shared.ready()
    module = shared.doubling(tensorflow)
    function = module.serve.get_concrete_function()
    model = tensorflow.lite.TFLiteConverter.from_concrete_functions([function], module).convert()
    maker, name = _interpreter(tensorflow)
    computed = importlib.import_module("on_litert").run(maker, model, [[1.0, 2.0, 3.0]])
    if computed != [[3.0, 5.0, 7.0]]:
        raise AssertionError(f"the converted model gives {computed}, and [[3, 5, 7]] is right")
    return {"device": "cpu", "evidence": [f"{len(model)} bytes, run by {name}"]}


def _interpreter(tensorflow: Any) -> tuple[Any, str]:
    """LiteRT's own where it is installed: that of TensorFlow is on its way out."""
    try:
        return importlib.import_module("ai_edge_litert.interpreter").Interpreter, "LiteRT"
    except ImportError:
        return tensorflow.lite.Interpreter, "TensorFlow Lite"
