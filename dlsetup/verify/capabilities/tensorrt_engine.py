"""TensorRT: an engine is built for this GPU, and read again."""

from __future__ import annotations

import importlib
from typing import Any


def prove() -> dict[str, Any]:
    tensorrt = importlib.import_module("tensorrt")
    logger = tensorrt.Logger(tensorrt.Logger.WARNING)
    builder = tensorrt.Builder(logger)
    if not builder:
        raise RuntimeError("the builder cannot be made: no GPU that this TensorRT serves, or no driver")
    network = builder.create_network()
    rows = network.add_input("rows", tensorrt.float32, (4, 4))
    network.mark_output(network.add_activation(rows, tensorrt.ActivationType.RELU).get_output(0))
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    if plan is None:
        raise RuntimeError("no engine could be built")
    engine = tensorrt.Runtime(logger).deserialize_cuda_engine(plan)
    if engine is None:
        raise RuntimeError("the engine that was built cannot be read again")
    return {
        "device": "cuda",
        "evidence": [f"TensorRT {tensorrt.__version__}", f"an engine of {plan.nbytes} bytes"],
    }
