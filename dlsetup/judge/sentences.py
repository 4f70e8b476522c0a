"""Words of a sentence."""

from __future__ import annotations

from collections.abc import Sequence


def listed(names: Sequence[str]) -> str:
    """`torch`, `torch and torchvision`, `torch, torchvision and torchaudio`; empty for none."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
