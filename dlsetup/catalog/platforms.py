"""Platform tags of wheels, and the families they belong to: `manylinux_2_28_x86_64` is `linux-x86_64`."""

from __future__ import annotations

import re
from collections.abc import Iterable

ANY = "any"
LEGACY = {"manylinux1": "manylinux_2_5", "manylinux2010": "manylinux_2_12", "manylinux2014": "manylinux_2_17"}
"""Older spellings of the same demands on the C library."""


def modern(tag: str) -> str:
    """The tag in its present spelling: `manylinux2014_x86_64` is `manylinux_2_17_x86_64`."""
    start, _, arch = tag.partition("_")
    return f"{LEGACY[start]}_{arch}" if start in LEGACY else tag


def families(tag: str) -> tuple[str, ...]:
    """The families a platform tag serves: one, or two for `universal2` of macOS."""
    if tag == ANY:
        return (ANY,)
    if tag.startswith("win"):
        return (f"windows-{tag.partition('_')[2] or 'x86'}",)
    found = re.fullmatch(r"(linux|manylinux_\d+_\d+|musllinux_\d+_\d+|macosx_\d+_\d+)_(\w+)", modern(tag))
    if not found:
        return (tag,)
    system = {"mac": "macos", "mus": "musl"}.get(found[1][:3], "linux")
    if system == "macos" and found[2] in ("universal2", "universal"):
        return ("macos-arm64", "macos-x86_64")
    return (f"{system}-{found[2]}",)


def plain_tag(family: str) -> str:
    """The tag of what is built on the machine itself: `linux_x86_64` for `linux-x86_64`."""
    system, _, arch = family.partition("-")
    starts = {"macos": "macosx_11_0_", "windows": "win_", "linux": "linux_"}
    return f"{starts[system]}{arch}" if system in starts else family


def least_demanding(tags: Iterable[str]) -> list[str]:
    """Of the tags of one wheel, those that say all: for each family the one that asks least."""
    chosen: dict[tuple[str, ...], str] = {}
    for tag in sorted({modern(item) for item in tags}, key=demand):
        chosen.setdefault(families(tag), tag)
    return sorted(chosen.values())


def demand(tag: str) -> tuple[int, ...]:
    """How new a system the tag asks for, as an order within one family."""
    return tuple(int(number) for number in re.findall(r"_(\d+)(?=_)", modern(tag)))
