"""Locks: `pylock.toml` (PEP 751) and `uv.lock`. Names, versions and where they hold are taken."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from dlsetup.intake.lock import note_of
from dlsetup.intake.project_file import is_marker, read_toml
from dlsetup.model.errors import DataError
from dlsetup.model.listing import Left, Listing, Said
from dlsetup.model.locked import LockNote
from dlsetup.model.record import UNKNOWN, Unknown

MOST = 20_000


def parse_lock(text: str, name: str) -> Listing:
    """Every package that is locked in one version, or in several with markers that tell them apart.

    Raises `DataError` for what is no lock.
    """
    data = read_toml(text, name)
    rows = data.get("packages", data.get("package"))
    if not isinstance(rows, list) or not ("lock-version" in data or "version" in data):
        raise DataError(f"{name}: no lock of PEP 751 or of uv")
    found: dict[str, dict[str, str]] = {}
    for package, version, marker in _packages(rows[:MOST]):
        found.setdefault(package, {})[version] = marker
    told = {package: len(versions) == 1 or all(versions.values()) for package, versions in found.items()}
    python = data.get("requires-python")
    return Listing(
        requirements=tuple(
            Said(text=f"{package}=={version}{f' ; {marker}' if marker else ''}", where=name)
            for package, versions in sorted(found.items())
            for version, marker in sorted(versions.items())
            if told[package]
        ),
        python=python if isinstance(python, str) else "",
        locked=True,
        note=_own(data, name),
        left=tuple(
            Left(text=package, where=name, because=f"locked in {len(versions)} versions")
            for package, versions in sorted(found.items())
            if not told[package]
        ),
    )


def _own(data: dict[str, Any], name: str) -> LockNote | Unknown:
    """Beside the packages themselves the note is only a help: one that cannot be read is left out."""
    with contextlib.suppress(DataError, AttributeError):
        return note_of(data, name)
    return UNKNOWN


def _packages(rows: list[Any]) -> Iterator[tuple[str, str, str]]:
    for row in rows:
        name, version = (row.get("name"), row.get("version")) if isinstance(row, dict) else (None, None)
        if isinstance(name, str) and isinstance(version, str) and len(version) < 100:
            try:
                yield canonicalize_name(name, validate=True), str(Version(version)), _marker(row)
            except (InvalidVersion, ValueError):
                continue


def _marker(row: dict[str, Any]) -> str:
    """Where a package is locked: PEP 751 has one marker, uv a list of which any may hold."""
    several = row.get("resolution-markers")
    texts = several if isinstance(several, list) and several else [row.get("marker", "")]
    if not all(map(is_marker, texts)) or "" in texts:
        return ""
    return " or ".join(f"({text})" for text in texts) if len(texts) > 1 else str(texts[0])
