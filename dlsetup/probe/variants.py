"""What an installed distribution was built for: CPU, a CUDA line, ROCm."""

from __future__ import annotations

import re
from collections.abc import Iterable

from packaging.version import Version

from dlsetup.model.framework import Clue
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.variants import local_variant
from dlsetup.probe.host import Host

FILE_LIMIT = 256 << 10
DENIAL = re.compile(r"\b(?:None|False)\b")


def variant_of(
    host: Host, site: str, name: str, version: Version, clues: Iterable[Clue]
) -> tuple[str | Unknown, str]:
    """The variant, and what tells it: the local version, or a file that the clues know.

    A file that names no accelerator and says so (`cuda = None`) is that of a CPU build; an empty or damaged
    one says nothing.
    """
    local = local_variant(version)
    if not isinstance(local, Unknown):
        return local, "local version"
    read = ""
    for clue in clues:
        text = host.read(f"{site}/{clue.path}", FILE_LIMIT) if clue.distribution == name else None
        if text is None:
            continue
        read = clue.path if DENIAL.search(text) else read
        value = _value(clue, text)
        if value:
            variant = _named(clue.gives, value)
            return (variant, clue.path) if variant else (UNKNOWN, "")
    return ("cpu", read) if read else (UNKNOWN, "")


def _value(clue: Clue, text: str) -> str | None:
    """What the pattern's group holds; nothing if somebody wrote a pattern that cannot be used."""
    try:
        found = re.search(clue.pattern, text)
        return found[1] if found else None
    except (re.error, IndexError):
        return None


def _named(gives: str, value: str) -> str | None:
    """`12.6` of CUDA is `cu126`, `6.4.43482` of ROCm is `rocm6.4`."""
    if gives == "variant":
        return value
    digits = re.match(r"(\d{1,3})\.(\d{1,2})", value)
    if not digits:
        return None
    return f"cu{digits[1]}{digits[2]}" if gives == "cuda" else f"rocm{digits[1]}.{digits[2]}"
