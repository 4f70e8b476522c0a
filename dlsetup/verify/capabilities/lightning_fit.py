"""Lightning fits a network for one epoch."""

from __future__ import annotations

import importlib
from typing import Any


def prove() -> dict[str, Any]:
    seen: dict[str, Any] = importlib.import_module("on_lightning").fit(
        importlib.import_module("lightning.pytorch")
    )
    return seen
