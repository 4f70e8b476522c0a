"""PyTorch: every parameter gets a gradient, and it is the one that differences give."""

from __future__ import annotations

import importlib
from typing import Any


def prove() -> dict[str, Any]:
    torch = importlib.import_module("torch")
    shared = importlib.import_module("on_torch")
    network, inputs, targets = shared.regression(torch)
    torch.nn.functional.mse_loss(network(inputs), targets).backward()
    named = list(network.named_parameters())
    without = [name for name, item in named if item.grad is None or not torch.isfinite(item.grad).all()]
    if without:
        raise AssertionError(f"no finite gradient for {', '.join(without)}")
    point = torch.randn(3, 3, dtype=torch.float64, requires_grad=True)
    if not torch.autograd.gradcheck(lambda item: (item.sin() @ item).sum(), (point,)):
        raise AssertionError("gradients are not those of differences")
    return shared.told(torch, f"{len(named)} parameters have gradients", "gradcheck in 64 bits")
