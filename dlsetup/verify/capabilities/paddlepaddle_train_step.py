"""PaddlePaddle: steps lower the loss."""

from __future__ import annotations

import importlib
from typing import Any


def prove() -> dict[str, Any]:
    paddle = importlib.import_module("paddle")
    paddle.seed(7)
    network = paddle.nn.Sequential(paddle.nn.Linear(8, 32), paddle.nn.ReLU(), paddle.nn.Linear(32, 1))
    inputs = paddle.randn([64, 8])
    targets = inputs.sum(axis=1, keepdim=True)
    optimizer = paddle.optimizer.SGD(0.02, network.parameters())
    losses = []
    for _ in range(20):
        loss = paddle.nn.functional.mse_loss(network(inputs), targets)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    said = importlib.import_module("training").learned(losses)
    return {"device": paddle.device.get_device().replace("gpu", "cuda").partition(":")[0], "evidence": [said]}
