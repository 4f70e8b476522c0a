"""PyTorch: one batch on several GPUs of one process."""

from __future__ import annotations

import importlib
from typing import Any


def prove() -> dict[str, Any]:
    torch = importlib.import_module("torch")
    shared = importlib.import_module("on_torch")
    count = torch.cuda.device_count()
    if count < 2:
        return {"untried": f"it takes two GPUs, and PyTorch sees {count or 'none'}"}
    network, inputs, _ = shared.regression(torch)
    with torch.no_grad():
        apart = (torch.nn.DataParallel(network)(inputs) - network(inputs)).abs().max().item()
    if not apart < 1e-3:
        raise AssertionError(f"{count} GPUs compute something else than one: {apart:.3g} apart")
    return shared.told(torch, f"{count} GPUs")
