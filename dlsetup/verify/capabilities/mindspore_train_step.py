"""MindSpore: steps lower the loss."""

from __future__ import annotations

import importlib
from typing import Any


def prove() -> dict[str, Any]:
    mindspore = importlib.import_module("mindspore")
    numbers = importlib.import_module("in_numpy")
    left, _ = numbers.product()
    inputs = mindspore.Tensor(left[:, :8])
    targets = mindspore.Tensor(left[:, :8].sum(axis=1, keepdims=True))
    mindspore.set_seed(7)
    network = mindspore.nn.SequentialCell(
        mindspore.nn.Dense(8, 32), mindspore.nn.ReLU(), mindspore.nn.Dense(32, 1)
    )
    optimizer = mindspore.nn.SGD(network.trainable_params(), learning_rate=0.01)
    measure = mindspore.nn.MSELoss()

    def loss(rows: Any, wanted: Any) -> Any:
        return measure(network(rows), wanted)

    step = mindspore.value_and_grad(loss, None, optimizer.parameters)
    losses = []
    for _ in range(20):
        value, gradients = step(inputs, targets)
        optimizer(gradients)
        losses.append(float(value.asnumpy()))
    device = mindspore.get_context("device_target").lower().replace("gpu", "cuda")
    return {"device": device, "evidence": [importlib.import_module("training").learned(losses)]}
