"""TensorFlow that takes GPU memory as it needs it, and what a program tells of where it computes."""

from __future__ import annotations

import importlib
import os
from typing import Any


def ready() -> Any:
    """TensorFlow itself, quiet below warnings."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
    os.environ.setdefault("TF_FORCE_GPU_ALLOW_GROWTH", "true")
    return importlib.import_module("tensorflow")


def told(tensorflow: Any, *evidence: str) -> dict[str, Any]:
    """What was seen, with where, and the most memory of the GPU that was allocated."""
    gpus = tensorflow.config.list_physical_devices("GPU")
    peak = tensorflow.config.experimental.get_memory_info("GPU:0")["peak"] if gpus else 0
    rocm = tensorflow.test.is_built_with_rocm()
    kind = ("rocm" if rocm else "cuda") if gpus else "cpu"
    return {"device": kind, "evidence": list(evidence), "gpu_peak_bytes": peak}


def doubling(tensorflow: Any) -> Any:
    """A module whose function `serve` doubles rows of three and adds one, with a variable of its own."""
    module = tensorflow.Module()
    module.scale = tensorflow.Variable(2.0)
    rows = tensorflow.TensorSpec([None, 3], tensorflow.float32, name="inputs")
    module.serve = tensorflow.function(lambda inputs: {"outputs": inputs * module.scale + 1.0}, [rows])
    return module
