"""PyTorch: a compiled function computes what the plain one does."""

from __future__ import annotations

import importlib
import shutil
import time
from typing import Any


def prove() -> dict[str, Any]:
    torch = importlib.import_module("torch")
    shared = importlib.import_module("on_torch")
    if not hasattr(torch, "compile"):
        return {"untried": f"PyTorch {torch.__version__} has no `torch.compile`; it came with 2.0"}
    where = shared.place(torch)
    if where == "cpu" and not any(map(shutil.which, ("g++", "clang++", "c++", "cl"))):
        return {"untried": "on the CPU it needs a C++ compiler, and no g++ or clang++ is on the PATH"}
    network, inputs, _ = shared.regression(torch)
    with torch.no_grad():
        plain = network(inputs)
        began = time.monotonic()
        compiled = torch.compile(network)(inputs)
    apart = (plain - compiled).abs().max().item()
    if not apart < 1e-3:
        raise AssertionError(f"the compiled network differs by {apart:.3g}")
    return shared.told(torch, f"compiled in {time.monotonic() - began:.1f} s")
