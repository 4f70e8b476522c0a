"""Sizes of memory as files and commands write them: `8g`, `64Mi`, `8GB`."""

from __future__ import annotations

import re

_SIZE = re.compile(r"(\d{1,12})(?:\.0{1,3})? ?([kKmMgGtT]?)(?:i?[bB]?)?")
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}


def size_in(text: str) -> int | None:
    """Bytes; a unit counts in powers of 1024, whatever it is called. None for what is no size."""
    found = _SIZE.fullmatch(text.strip())
    return int(found[1]) << _UNITS[found[2].lower()] if found else None
