"""PyTorch: the network as it is against the same compiled, and what compiling costs once."""

from __future__ import annotations

import importlib
import os
import shutil
import time
from collections.abc import Callable
from typing import Any


def measure(told: dict[str, Any], so_far: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    # What was compiled before would be taken from there: the cost could not be seen, and files would stay.
    if told.get("scratch"):
        os.environ.update(TORCHINDUCTOR_CACHE_DIR=told["scratch"], TRITON_CACHE_DIR=told["scratch"])
    shared = importlib.import_module("measured_torch")
    timing = importlib.import_module("measured_rates")
    torch, plain = shared.start(told)
    if not hasattr(torch, "compile"):
        return {"untried": f"PyTorch {torch.__version__} has no `torch.compile`; it came with 2.0"}
    if plain.where == "cpu" and not any(map(shutil.which, ("g++", "clang++", "c++", "cl"))):
        return {"untried": "on the CPU it needs a C++ compiler, and no g++ or clang++ is on the PATH"}
    compiled = shared.Trainer(torch, told)
    batch, common = int(told["batch"]), plain.told()
    compiled.load(batch)
    compiled.compile()
    steps = {"eager": plain.stepper(), "compiled": compiled.stepper()}
    steps["eager"]()
    began = time.monotonic()
    for _ in range(3):
        steps["compiled"]()
    plain.settle()
    common["once_seconds"] = round(time.monotonic() - began, 1)
    found = timing.in_turns(
        {
            name: lambda step=step: timing.rate(step, batch, settle=plain.settle)
            for name, step in steps.items()
        },
        time.monotonic() + float(told["seconds"]),
        so_far=lambda found: so_far({**common, "variants": timing.told_of(found, batch)}),
    )
    return {**common, "variants": timing.told_of(found, batch)}
