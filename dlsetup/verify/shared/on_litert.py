"""One inference by an interpreter of LiteRT or TensorFlow Lite."""

from __future__ import annotations

import importlib
from typing import Any


def run(interpreter: Any, model: bytes, rows: list[list[float]]) -> Any:
    """What a model of one input and one output computes of these rows."""
    numpy = importlib.import_module("numpy")
    session = interpreter(model_content=model)
    inputs, outputs = session.get_input_details()[0]["index"], session.get_output_details()[0]["index"]
    session.resize_tensor_input(inputs, [len(rows), len(rows[0])])
    session.allocate_tensors()
    session.set_tensor(inputs, numpy.array(rows, "float32"))
    session.invoke()
    return session.get_tensor(outputs).tolist()
