"""PaddlePaddle: one matrix product on the device that it chooses."""

from __future__ import annotations

import importlib
from typing import Any

KINDS = {"gpu": "cuda", "cpu": "cpu", "xpu": "xpu", "npu": "ascend"}


def look(left: list[list[float]], right: list[list[float]]) -> dict[str, Any]:
    paddle = importlib.import_module("paddle")
    device = str(paddle.device.get_device())
    product = paddle.matmul(paddle.to_tensor(left, "float32"), paddle.to_tensor(right, "float32"))
    kind = KINDS.get(device.partition(":")[0], "cpu")
    rocm = kind == "cuda" and paddle.device.is_compiled_with_rocm()
    return {
        "version": paddle.__version__,
        "devices": [device],
        "device": "rocm" if rocm else kind,
        "computed": product.tolist(),
    }
