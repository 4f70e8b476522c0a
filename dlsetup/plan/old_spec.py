"""Specs of conda as text: their name, and what of them still holds."""

from __future__ import annotations

from packaging.utils import canonicalize_name

from dlsetup.plan.old_entries import Asked


def base_name(text: str) -> str:
    """The name that a spec begins with."""
    bare = text.rpartition("::")[2]
    length = next((at for at, sign in enumerate(bare) if not (sign.isalnum() or sign in "-_.")), len(bare))
    return canonicalize_name(bare[:length]) if bare[:length] else ""


def spec_text(asked: Asked, written: str) -> str:
    """The spec as it is written, without its channel and its build; renamed where that is needed."""
    if asked.because:
        return asked.name
    bare = written.rpartition("::")[2].strip()
    parts = bare.split("=")
    if len(parts) == 3 and parts[1]:
        return "=".join(parts[:2])
    return bare if len(bare.split()) == 1 else f"{asked.name}{asked.specifier}"
