"""PyTorch: channels first against channels last."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any


def measure(told: dict[str, Any], so_far: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    until = time.monotonic() + float(told["seconds"])
    shared = importlib.import_module("measured_torch")
    timing = importlib.import_module("measured_rates")
    torch, first = shared.start(told)
    if getattr(first.inputs, "ndim", 0) != 4:
        return {"untried": "the inputs are no pictures"}
    last = shared.Trainer(torch, told)
    batch, common = int(told["batch"]), first.told()
    last.load(batch)
    last.lay_out()
    steps = {"channels_first": first.stepper(), "channels_last": last.stepper()}
    for step in steps.values():
        step()
    found = timing.in_turns(
        {
            name: lambda step=step: timing.rate(step, batch, settle=first.settle)
            for name, step in steps.items()
        },
        until,
        so_far=lambda found: so_far({**common, "variants": timing.told_of(found, batch)}),
    )
    return {**common, "variants": timing.told_of(found, batch)}
