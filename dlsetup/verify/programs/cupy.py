"""CuPy: one matrix product on the first GPU."""

from __future__ import annotations

import importlib
from typing import Any


def look(left: list[list[float]], right: list[list[float]]) -> dict[str, Any]:
    cupy = importlib.import_module("cupy")
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        # CuPy has no CPU to fall back to: without a GPU all that can be seen is that it loads.
        return {"version": cupy.__version__, "devices": [], "device": "cpu", "remark": str(error)[:200]}
    names = [cupy.cuda.runtime.getDeviceProperties(number)["name"].decode() for number in range(count)]
    product = cupy.array(left, "float32") @ cupy.array(right, "float32")
    return {
        "version": cupy.__version__,
        "devices": names,
        "device": "rocm" if cupy.cuda.runtime.is_hip else "cuda",
        "computed": product.get().tolist(),
    }
