"""torchaudio: a tone of 8 kHz has the same length in seconds at 16 kHz."""

from __future__ import annotations

import importlib
from typing import Any


def prove() -> dict[str, Any]:
    torch = importlib.import_module("torch")
    shared = importlib.import_module("on_torch")
    functional = importlib.import_module("torchaudio.functional")
    tone = torch.sin(torch.arange(8000, device=shared.place(torch)) * 0.3)
    count = functional.resample(tone, 8000, 16000).shape[-1]
    if count != 16000:
        raise AssertionError(f"a second has {count} samples, and 16000 are right")
    return shared.told(torch, "resampled from 8 to 16 kHz")
