"""Which file of a locked package a target takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dlsetup.model.target import Interpreter, Target
from dlsetup.plan.lock import rank
from dlsetup.rules.wheels import platform_fits, python_fits, wheels_of

Row = dict[str, Any]
"""A file as a lock has it: its address, its hashes."""


def file_for(package: Row, targets: Sequence[Target], python: Interpreter) -> Row:
    """The best wheel that installs on every target, else the source."""
    wheels = package.get("wheels", [])
    fitting = [row for row in wheels if fits(row, targets, python)]
    sources = [package[kind] for kind in ("sdist", "archive") if kind in package]
    return max(fitting, key=rank) if fitting else [*sources, *wheels][0]


def address_of(row: Row) -> str:
    """Where a file is fetched from."""
    return str(row.get("url", row.get("path", "")))


def filename_of(row: Row) -> str:
    """The name of a file, which a lock may leave to its address."""
    return str(row.get("name") or address_of(row).rpartition("/")[2]).replace("%2B", "+")


def fits(row: Row, targets: Sequence[Target], python: Interpreter) -> bool:
    """Whether the file is a wheel that installs on every target, as far as is known."""
    fitting = (item for item in wheels_of(filename_of(row)) if python_fits(item, python))
    return any(not any(platform_fits(item.platform, one).refused for one in targets) for item in fitting)
