"""TensorFlow: the product on the first GPU, else on the CPU."""

from __future__ import annotations

import importlib
from typing import Any


def look(left: list[list[float]], right: list[list[float]]) -> dict[str, Any]:
    tensorflow = importlib.import_module("tensorflow")
    gpus = tensorflow.config.list_physical_devices("GPU")
    with tensorflow.device("/GPU:0" if gpus else "/CPU:0"):
        product = tensorflow.linalg.matmul(
            tensorflow.constant(left, "float32"), tensorflow.constant(right, "float32")
        )
    info = tensorflow.sysconfig.get_build_info()
    kind = "rocm" if info.get("is_rocm_build") else "cuda" if info.get("is_cuda_build") else "mps"
    return {
        "version": tensorflow.__version__,
        "devices": [*(gpu.name for gpu in gpus), "cpu"],
        "device": kind if gpus else "cpu",
        "computed": product.numpy().tolist(),
        "remark": "" if gpus else "TensorFlow lists no GPU",
    }
