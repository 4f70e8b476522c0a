"""Architectures of processors, in one spelling for all systems."""

from __future__ import annotations

_SPELLINGS = {"amd64": "x86_64", "x64": "x86_64", "x86-64": "x86_64", "arm64": "aarch64"}


def processor(word: str) -> str:
    """`AMD64` is `x86_64` and `arm64` is `aarch64`; every other word stays as it is."""
    return _SPELLINGS.get(word.lower(), word)
