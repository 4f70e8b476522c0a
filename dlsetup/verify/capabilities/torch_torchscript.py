"""PyTorch: a traced network is saved, read again and computes the same."""

from __future__ import annotations

import importlib
import io
from typing import Any


def prove() -> dict[str, Any]:
    torch = importlib.import_module("torch")
    shared = importlib.import_module("on_torch")
    network, inputs, _ = shared.regression(torch)
    kept = io.BytesIO()
    torch.jit.save(torch.jit.trace(network.eval(), inputs), kept)
    kept.seek(0)
    again = torch.jit.load(kept)
    with torch.no_grad():
        apart = (again(inputs) - network(inputs)).abs().max().item()
    if not apart < 1e-4:
        raise AssertionError(f"the network that was read again differs by {apart:.3g}")
    return shared.told(torch, f"{kept.getbuffer().nbytes} bytes of TorchScript")
