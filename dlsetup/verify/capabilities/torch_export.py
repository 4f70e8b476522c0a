"""PyTorch: an exported program is saved, read again and computes the same."""

from __future__ import annotations

import importlib
import io
from typing import Any


def prove() -> dict[str, Any]:
    torch = importlib.import_module("torch")
    shared = importlib.import_module("on_torch")
    if not hasattr(torch, "export"):
        return {"untried": f"PyTorch {torch.__version__} has no `torch.export`; it came with 2.1"}
    network, inputs, _ = shared.regression(torch)
    kept = io.BytesIO()
    torch.export.save(torch.export.export(network.eval(), (inputs,)), kept)
    kept.seek(0)
    again = torch.export.load(kept).module()
    with torch.no_grad():
        apart = (again(inputs) - network(inputs)).abs().max().item()
    if not apart < 1e-4:
        raise AssertionError(f"the program that was read again differs by {apart:.3g}")
    return shared.told(torch, f"{kept.getbuffer().nbytes} bytes of an exported program")
