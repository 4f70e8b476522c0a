"""PyTorch: an exported network computes the same in ONNX Runtime."""

from __future__ import annotations

import importlib
import os
import tempfile
from typing import Any


def prove() -> dict[str, Any]:
    torch = importlib.import_module("torch")
    shared = importlib.import_module("on_torch")
    numbers = importlib.import_module("in_numpy")
    onnx = importlib.import_module("onnx")
    runtime = importlib.import_module("onnxruntime")
    network, inputs, _ = shared.regression(torch)
    network, inputs = network.cpu().eval(), inputs.cpu()
    with tempfile.TemporaryDirectory(prefix="dlsetup-onnx-") as folder:
        path = os.path.join(folder, "network.onnx")
        torch.onnx.export(network, (inputs,), path, input_names=["inputs"], output_names=["computed"])
        onnx.checker.check_model(path)
        session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
        computed = session.run(["computed"], {"inputs": inputs.numpy()})[0]
    with torch.no_grad():
        said = numbers.same("network", computed, network(inputs).numpy(), like="PyTorch's")
    return {"device": "cpu", "evidence": [f"ONNX Runtime {runtime.__version__}", said]}
