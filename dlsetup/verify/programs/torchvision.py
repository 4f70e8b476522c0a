"""torchvision: its compiled operators are found by the torch beside it only if the two fit."""

from __future__ import annotations

import importlib
from typing import Any


def look(left: list[list[float]], right: list[list[float]]) -> dict[str, Any]:
    torch = importlib.import_module("torch")
    torchvision = importlib.import_module("torchvision")
    on_gpu = torch.cuda.is_available()
    place = "cuda" if on_gpu else "cpu"
    boxes = torch.tensor([[0.0, 0.0, 9.0, 9.0], [0.0, 0.0, 9.0, 8.0], [20.0, 20.0, 30.0, 30.0]], device=place)
    kept = torchvision.ops.nms(boxes, torch.tensor([0.9, 0.8, 0.7], device=place), 0.5)
    return {
        "version": torchvision.__version__,
        "devices": ["cuda", "cpu"] if on_gpu else ["cpu"],
        "device": place,
        "computed": kept.tolist(),
        "wanted": [0, 2],
    }
