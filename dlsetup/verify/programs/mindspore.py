"""MindSpore: one matrix product on the device that it is set to."""

from __future__ import annotations

import importlib
from typing import Any

KINDS = {"Ascend": "ascend", "GPU": "cuda", "CPU": "cpu"}


def look(left: list[list[float]], right: list[list[float]]) -> dict[str, Any]:
    mindspore = importlib.import_module("mindspore")
    device = str(mindspore.get_context("device_target"))
    first, second = (mindspore.Tensor(rows, mindspore.float32) for rows in (left, right))
    product = mindspore.ops.matmul(first, second)
    return {
        "version": mindspore.__version__,
        "devices": [device],
        "device": KINDS.get(device, "cpu"),
        "computed": product.asnumpy().tolist(),
    }
