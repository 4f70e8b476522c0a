"""The Pythons that may be chosen."""

from __future__ import annotations

from packaging.version import Version

from dlsetup.model.record import Unknown
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.wish import Wish
from dlsetup.resolve.refusals import against_python

USUAL = ("3.10", "3.11", "3.12", "3.13", "3.14")
"""What uv fetches without being asked for something special."""
SPECIAL = ("3.8", "3.9", "3.15")
"""What uv fetches as well, considered only for a wish that admits it."""


def pythons_of(wish: Wish, target: Target) -> list[Interpreter]:
    """One interpreter of each minor version: those of the target, else the ones uv would fetch.

    Where the target's Pythons are known, the others are listed as well; a refusal keeps them out, and
    taking that refusal away shows what another Python would bring.
    """
    found = {} if isinstance(target.pythons, Unknown) else _newest(target.pythons)
    asked = [
        text for text in SPECIAL if str(wish.python) and wish.python.contains(f"{text}.99", prereleases=True)
    ]
    for text in (*USUAL, *asked):
        found.setdefault((text, False), Interpreter(version=Version(text)))
    return list(found.values())


def admitted_pythons(wish: Wish, target: Target) -> list[Interpreter]:
    """Those of them that nothing said of Python alone forbids."""
    found = pythons_of(wish, target)
    return [item for item in found if not any(against_python(item, wish, target))] or found


def _newest(interpreters: tuple[Interpreter, ...]) -> dict[tuple[str, bool], Interpreter]:
    """Of each minor version the one on disk, of several the newest, of equals the first by path."""
    best: dict[tuple[str, bool], Interpreter] = {}
    in_order = sorted(interpreters, key=lambda item: item.path or "")
    in_order.sort(key=lambda item: (item.path is not None, item.version), reverse=True)
    for item in in_order:
        best.setdefault((f"{item.version.major}.{item.version.minor}", item.free_threaded), item)
    return best
