"""Formats of numbers that a GPU computes natively."""

from __future__ import annotations

from dlsetup.model.hardware import Hardware, NumberFormat
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.versions import ComputeCapability


def format_row(name: str, hardware: Hardware) -> NumberFormat | None:
    """What the catalog says of a format."""
    return next((row for row in hardware.formats if row.name == name), None)


def is_native(name: str, capability: ComputeCapability | Unknown, hardware: Hardware) -> bool | Unknown:
    """Whether an NVIDIA GPU has it; unknown where the GPU or the format is."""
    row = format_row(name, hardware)
    if row is None or isinstance(capability, Unknown):
        return UNKNOWN
    return capability >= row.min_capability
