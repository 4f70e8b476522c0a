"""torchvision: its compiled operators fit to the torch beside it."""

from __future__ import annotations

import importlib
from typing import Any


def prove() -> dict[str, Any]:
    torch = importlib.import_module("torch")
    shared = importlib.import_module("on_torch")
    ops = importlib.import_module("torchvision.ops")
    where = shared.place(torch)
    boxes = torch.tensor(
        [[0.0, 0.0, 10.0, 10.0], [1.0, 1.0, 10.0, 10.0], [20.0, 20.0, 30.0, 30.0]], device=where
    )
    kept = ops.nms(boxes, torch.tensor([0.9, 0.8, 0.7], device=where), 0.5).tolist()
    if kept != [0, 2]:
        raise AssertionError(f"of three boxes it kept {kept}, and [0, 2] is right")
    return shared.told(torch, "nms keeps the right boxes")
