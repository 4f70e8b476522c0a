"""Words of a sentence."""

from __future__ import annotations

from collections.abc import Sequence


def capitalised(text: str) -> str:
    """With a capital in front, as a sentence begins."""
    return f"{text[:1].upper()}{text[1:]}"


def listed(names: Sequence[str]) -> str:
    """`torch`, `torch and torchvision`, `torch, torchvision and torchaudio`; empty for none."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
