"""What a page of an index says of its files, their names read; pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeVar

from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import Version

from dlsetup.catalog.platforms import families, least_demanding
from dlsetup.model.record import UNKNOWN, Record, Unknown


class Hashes(Record, frozen=True, kw_only=True, forbid_unknown_fields=False):
    sha256: str = ""


class File(Record, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=False):
    """One file of a project page (PEP 691, 700, 714)."""

    filename: str
    url: str
    hashes: Hashes = Hashes()
    requires_python: str | None = None
    size: int | Unknown = UNKNOWN
    upload_time: str = ""
    yanked: bool | str = False
    core_metadata: bool | dict[str, str] | None = None


class Page(Record, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """A project page of the simple API in JSON. What else it says is passed over."""

    name: str
    files: tuple[File, ...]


class Wheel(Record, frozen=True, kw_only=True):
    """A wheel file, its name read."""

    version: Version
    pythons: tuple[str, ...]
    platforms: tuple[str, ...]
    file: File

    @property
    def families(self) -> tuple[str, ...]:
        return tuple(family for tag in self.platforms for family in families(tag))


class Sdist(Record, frozen=True, kw_only=True):
    """The source of a release, its name read."""

    version: Version
    file: File


Found = TypeVar("Found", Wheel, Sdist)


def wheels_of(page: Page, since: Version) -> list[Wheel]:
    """The wheels of a page from release `since` on, without prereleases that a final release overtook."""
    found = [wheel for file in page.files if (wheel := _wheel(file)) is not None]
    return _current(found, since)


def sdists_of(page: Page, since: Version) -> list[Sdist]:
    """The sources of a page from release `since` on, without prereleases that a final release overtook."""
    found = [sdist for file in page.files if (sdist := _sdist(file)) is not None]
    return _current(found, since)


def spokesmen(wheels: Iterable[Wheel]) -> dict[tuple[Version, str], Wheel]:
    """For each release and family of platforms the wheel whose metadata is read: the newest Python's."""
    chosen: dict[tuple[Version, str], Wheel] = {}
    for wheel in sorted(wheels, key=weight):
        for family in wheel.families:
            chosen[wheel.version, family] = wheel
    return chosen


def _current(found: list[Found], since: Version) -> list[Found]:
    newest = max((item.version for item in found if not item.version.is_prerelease), default=Version("0"))
    return [
        item
        for item in found
        if item.version >= since and (not item.version.is_prerelease or item.version > newest)
    ]


def _wheel(file: File) -> Wheel | None:
    """None for what is no wheel, or one whose name follows no rule."""
    if not file.filename.endswith(".whl"):
        return None
    try:
        _, version, _, tags = parse_wheel_filename(file.filename)
    except (InvalidWheelFilename, ValueError):
        return None
    pythons = {_python(tag.interpreter, tag.abi) for tag in tags}
    return Wheel(
        version=version,
        pythons=tuple(sorted(pythons, key=python_order)),
        platforms=tuple(least_demanding(tag.platform for tag in tags)),
        file=file,
    )


def _sdist(file: File) -> Sdist | None:
    """None for what is no source, or one whose name follows no rule."""
    try:
        _, version = parse_sdist_filename(file.filename)
    except InvalidSdistFilename:
        return None
    return Sdist(version=version, file=file)


def _python(interpreter: str, abi: str) -> str:
    """`cp312` for `cp312-cp312`, `cp36` for `cp36-cp36m`, else both parts: `cp313-cp313t`, `cp39-abi3`."""
    return interpreter if abi in (interpreter, f"{interpreter}m", "none") else f"{interpreter}-{abi}"


def python_order(tag: str) -> tuple[int, str]:
    """Python tags by version: `cp39` before `cp310` before `cp310-cp310t`."""
    found = re.match(r"[a-z]+(\d)(\d*)", tag)
    return (int(found[1]) * 100 + int(found[2] or 0) if found else 0, tag)


def weight(wheel: Wheel) -> tuple[bool, tuple[int, str], str]:
    """Wheels of the free-threaded Python before those of the ordinary one, older ones before newer ones."""
    newest = wheel.pythons[-1]
    return (not newest.endswith("t"), python_order(newest), wheel.file.filename)
