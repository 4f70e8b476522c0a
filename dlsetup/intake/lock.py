"""A lock out of a file: `pylock.toml` (PEP 751), or requirements as `resolve --lock` writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import tomli
from packaging.markers import InvalidMarker, Marker
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from dlsetup.model.codec import convert
from dlsetup.model.errors import DataError, UsageError
from dlsetup.model.locked import Locked, LockedPackage, LockNote
from dlsetup.model.record import UNKNOWN, Unknown

SIZE_LIMIT = 20 << 20
HINT = "`dlsetup resolve … --lock FILE` writes such a file, and so does uv under a name of PEP 751"


def read(path: Path) -> Locked:
    """The lock in a file. Raises `UsageError` if it cannot be read, `DataError` if it is something else."""
    return parse(text_of(path), path)


def parse(text: str, path: Path) -> Locked:
    """The lock in a text; `path` tells its form and is named in errors. Raises `DataError`."""
    if path.suffix != ".toml" and re.search(r"^@EXPLICIT\s*$", text, re.MULTILINE):
        raise DataError(f"{path} locks conda packages, and what is meant here are wheels", hint=HINT)
    try:
        found = _pylock(text, str(path)) if path.suffix == ".toml" else _requirements(text, str(path))
    except (
        *(tomli.TOMLDecodeError, KeyError, TypeError, AttributeError, RecursionError),
        *(InvalidVersion, InvalidSpecifier, InvalidMarker, InvalidRequirement),
    ) as error:
        raise DataError(f"{path} is no lock: {_reason(error)}"[:500], hint=HINT) from error
    if not found.packages:
        raise DataError(f"{path} locks no package", hint=HINT)
    return found


def _reason(error: Exception) -> str:
    """What is wrong in words of the file, not of the program that reads it."""
    if isinstance(error, KeyError):
        return f"a package has no `{error.args[0]}`"
    if isinstance(error, (TypeError, AttributeError, RecursionError)):
        return "its parts have not the form that PEP 751 gives them"
    return str(error)


def text_of(path: Path) -> str:
    """The text of a lock. Raises `UsageError` if it cannot be read, `DataError` if it is no text."""
    try:
        with path.open("rb") as file:
            content = file.read(SIZE_LIMIT + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"the lock `{path}` cannot be read: {reason}", hint=HINT) from error
    if len(content) > SIZE_LIMIT:
        raise DataError(f"{path}: larger than {SIZE_LIMIT >> 20} MiB, which no lock is", hint=HINT)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is no text: {error}", hint=HINT) from error


def _pylock(text: str, path: str) -> Locked:
    document = tomli.loads(text)
    return Locked(
        path=path,
        requires_python=SpecifierSet(document.get("requires-python", "")),
        packages=tuple(map(_package, document.get("packages", []))),
        note=note_of(document, path),
    )


def _package(row: dict[str, Any]) -> LockedPackage:
    """A package without a version is a source tree, which can be anything."""
    marker = str(row.get("marker", ""))
    if marker:
        Marker(marker)
    return LockedPackage(
        name=canonicalize_name(row["name"]),
        version=Version(row.get("version", "0")),
        marker=marker,
        wheels=tuple(_filename(wheel) for wheel in row.get("wheels", [])),
        source=any(kind in row for kind in ("sdist", "archive", "vcs", "directory")),
    )


def _filename(row: dict[str, Any]) -> str:
    address = str(row.get("url", row.get("path", "")))
    return str(row.get("name") or unquote(address.rpartition("/")[2]))


def _requirements(text: str, path: str) -> Locked:
    note = note_in_requirements(text, path)
    python = SpecifierSet() if isinstance(note, Unknown) else SpecifierSet(f"=={note.python}.*")
    return Locked(path=path, requires_python=python, packages=tuple(_packages(text)), note=note)


def note_in_requirements(text: str, path: str) -> LockNote | Unknown:
    """What dlsetup wrote above the requirements, as comments. Raises `DataError`, `tomli.TOMLDecodeError`."""
    head = [line[2:] for line in text.splitlines() if line.startswith("# ") or line == "#"]
    start = next((place for place, line in enumerate(head) if line.startswith("[tool.dlsetup]")), None)
    return UNKNOWN if start is None else note_of(tomli.loads("\n".join(head[start:])), path)


def _packages(text: str) -> Iterator[LockedPackage]:
    joined = re.sub(r"\\\r?\n", " ", text)
    for line in joined.splitlines():
        words = re.split(r"\s--hash=", line.partition(" #")[0])[0].strip()
        if not words or words.startswith(("#", "-")):
            continue
        item = Requirement(words)
        marker = str(item.marker) if item.marker else ""
        name = canonicalize_name(item.name)
        if item.url:
            yield _by_address(name, marker, unquote(item.url.rpartition("/")[2]))
            continue
        pins = [one.version for one in item.specifier if one.operator == "=="]
        yield LockedPackage(name=name, version=Version(pins[0] if pins else ""), marker=marker, source=True)


def _by_address(name: str, marker: str, filename: str) -> LockedPackage:
    try:
        version = parse_wheel_filename(filename)[1]
    except InvalidWheelFilename:
        found = re.search(r"-([0-9][^-]*?)\.(tar\.gz|zip)\Z", filename)
        version = Version(found[1] if found else "")
        return LockedPackage(name=name, version=version, marker=marker, wheels=(), source=True)
    return LockedPackage(name=name, version=version, marker=marker, wheels=(filename,))


def note_of(document: dict[str, Any], path: str) -> LockNote | Unknown:
    """What dlsetup wrote into a lock; unknown for a lock of another tool. Raises `DataError`."""
    own = document.get("tool", {}).get("dlsetup")
    return UNKNOWN if own is None else convert(own, LockNote, where=f"{path}: [tool.dlsetup]")
