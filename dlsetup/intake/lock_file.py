"""Locks: `pylock.toml` (PEP 751) and `uv.lock`. Only names and versions are taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from dlsetup.intake.project_file import read_toml
from dlsetup.model.errors import DataError
from dlsetup.model.listing import Left, Listing, Said

MOST = 20_000


def parse_lock(text: str, name: str) -> Listing:
    """Every package that is locked in one version. Raises `DataError` for what is no lock."""
    data = read_toml(text, name)
    rows = data.get("packages", data.get("package"))
    if not isinstance(rows, list) or not ("lock-version" in data or "version" in data):
        raise DataError(f"{name}: no lock of PEP 751 or of uv")
    found: dict[str, set[str]] = {}
    for package, version in _packages(rows[:MOST]):
        found.setdefault(package, set()).add(version)
    python = data.get("requires-python")
    return Listing(
        requirements=tuple(
            Said(text=f"{package}=={min(versions)}", where=name)
            for package, versions in sorted(found.items())
            if len(versions) == 1
        ),
        python=python if isinstance(python, str) else "",
        locked=True,
        left=tuple(
            Left(text=package, where=name, because=f"locked in {len(versions)} versions")
            for package, versions in sorted(found.items())
            if len(versions) > 1
        ),
    )


def _packages(rows: list[Any]) -> Iterator[tuple[str, str]]:
    for row in rows:
        name, version = (row.get("name"), row.get("version")) if isinstance(row, dict) else (None, None)
        if isinstance(name, str) and isinstance(version, str) and len(version) < 100:
            try:
                yield canonicalize_name(name, validate=True), str(Version(version))
            except (InvalidVersion, ValueError):
                continue
