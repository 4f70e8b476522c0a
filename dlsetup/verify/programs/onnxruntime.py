"""ONNX Runtime: a model of one matrix product, on the best provider that really starts."""

from __future__ import annotations

import importlib
from typing import Any

KINDS = {
    "CUDAExecutionProvider": "cuda",
    "ROCMExecutionProvider": "rocm",
    "MIGraphXExecutionProvider": "rocm",
    "DmlExecutionProvider": "directml",
    "CPUExecutionProvider": "cpu",
}


def look(left: list[list[float]], right: list[list[float]]) -> dict[str, Any]:
    runtime = importlib.import_module("onnxruntime")
    numpy = importlib.import_module("numpy")
    offered = [name for name in KINDS if name in runtime.get_available_providers()]
    session = runtime.InferenceSession(model(len(left), len(right), len(right[0])), providers=offered)
    feed = {"left": numpy.array(left, "float32"), "right": numpy.array(right, "float32")}
    product = session.run(["product"], feed)[0]
    # A provider that is offered may still refuse to start, for want of a library: ask what is used.
    used = session.get_providers()
    kind = KINDS.get(used[0], "cpu")
    refused = [name for name in offered if name not in used]
    return {
        "version": runtime.__version__,
        "devices": used,
        "device": kind,
        "computed": product.tolist(),
        "remark": f"{', '.join(refused)} did not start" if refused else "",
    }


def model(rows: int, inner: int, columns: int) -> bytes:
    """A model file (protocol buffers) with the one node `product = MatMul(left, right)`."""
    node = field(1, b"left") + field(1, b"right") + field(2, b"product") + field(4, b"MatMul")
    graph = field(1, node) + field(2, b"check")
    graph += field(11, tensor(b"left", rows, inner)) + field(11, tensor(b"right", inner, columns))
    graph += field(12, tensor(b"product", rows, columns))
    return bytes([8, 8]) + field(7, graph) + field(8, bytes([16, 13]))


def tensor(name: bytes, *dimensions: int) -> bytes:
    """The description of a tensor of 32-bit floats."""
    shape = b"".join(field(1, bytes([8, size])) for size in dimensions)
    return field(1, name) + field(2, field(1, bytes([8, 1]) + field(2, shape)))


def field(number: int, content: bytes) -> bytes:
    """A field with a length, as protocol buffers write it."""
    length, size = b"", len(content)
    while size > 127:
        length += bytes([size & 127 | 128])
        size >>= 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + content
