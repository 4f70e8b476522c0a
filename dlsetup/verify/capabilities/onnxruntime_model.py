"""ONNX Runtime: a model made by ONNX gives the numbers of NumPy."""

from __future__ import annotations

import importlib
from typing import Any

KINDS = {
    "CUDAExecutionProvider": "cuda",
    "ROCMExecutionProvider": "rocm",
    "MIGraphXExecutionProvider": "rocm",
    "CPUExecutionProvider": "cpu",
}


def prove() -> dict[str, Any]:
    onnx = importlib.import_module("onnx")
    runtime = importlib.import_module("onnxruntime")
    numbers = importlib.import_module("in_numpy")
    left, right = numbers.product()
    model = importlib.import_module("in_onnx").product_of(onnx, left, right).SerializeToString()
    session = runtime.InferenceSession(
        model, providers=[name for name in KINDS if name in runtime.get_available_providers()]
    )
    computed = session.run(["product"], {"left": left, "right": right})[0]
    used = session.get_providers()
    return {"device": KINDS[used[0]], "evidence": [*used, numbers.same("product", computed, left @ right)]}
