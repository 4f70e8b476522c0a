"""A model in ONNX, as ONNX Runtime runs it: on the GPU where its build and the machine have one."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime as ort

ENDINGS = (".onnx", ".ort")
TYPES = {"tensor(float)": "float32", "tensor(double)": "float64", "tensor(float16)": "float16"}


class Model:
    """One session; it may be asked by several threads at once."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.session = ort.InferenceSession(path, providers=ort.get_available_providers())

    def predict(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """The outputs by name. Every input has the type that the model asks for."""
        asked = {item.name: item.type for item in self.session.get_inputs()}
        given = {name: np.asarray(value, dtype=_type(asked[name])) for name, value in inputs.items()}
        names = [item.name for item in self.session.get_outputs()]
        return {
            name: np.asarray(value).tolist()
            for name, value in zip(names, self.session.run(names, given), strict=True)
        }


def _type(name: str) -> str:
    """`float32` for `tensor(float)`, `int64` for `tensor(int64)`."""
    return TYPES.get(name, name.removeprefix("tensor(").removesuffix(")"))
