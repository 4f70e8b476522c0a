"""OneFlow: steps lower the loss."""

from __future__ import annotations

import importlib
from typing import Any


def prove() -> dict[str, Any]:
    oneflow = importlib.import_module("oneflow")
    where = "cuda" if oneflow.cuda.is_available() else "cpu"
    oneflow.manual_seed(7)
    layers = oneflow.nn.Linear(8, 32), oneflow.nn.ReLU(), oneflow.nn.Linear(32, 1)
    network = oneflow.nn.Sequential(*layers).to(where)
    inputs = oneflow.randn(64, 8, device=where)
    targets = inputs.sum(dim=1, keepdim=True)
    optimizer = oneflow.optim.SGD(network.parameters(), lr=0.02)
    losses = []
    for _ in range(20):
        loss = oneflow.nn.functional.mse_loss(network(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return {"device": where, "evidence": [importlib.import_module("training").learned(losses)]}
