"""Horovod: all processes average, as many as it was started with."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any


def prove() -> dict[str, Any]:
    found = [name for name in ("torch", "tensorflow") if importlib.util.find_spec(name)]
    if not found:
        return {"untried": "neither PyTorch nor TensorFlow is there for it to average"}
    framework = importlib.import_module(found[0])
    horovod = importlib.import_module(f"horovod.{found[0]}")
    horovod.init()
    numbers = framework.ones(3) if found[0] == "torch" else framework.ones((3,))
    averaged = horovod.allreduce(numbers, name="dlsetup").numpy().tolist()
    if averaged != [1.0, 1.0, 1.0]:
        raise AssertionError(f"the mean of ones is {averaged}")
    built = [name for name in ("nccl", "mpi", "gloo") if getattr(horovod, f"{name}_built")()]
    return {"evidence": [f"with {found[0]}", f"built for {', '.join(built)}", f"{horovod.size()} process"]}
