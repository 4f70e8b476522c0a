"""How old each file of the catalog is, where it comes from, and what newer releases it does not know."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path, PurePath
from typing import Literal, TypeVar

from msgspec.structs import replace
from packaging.version import Version

from dlsetup.catalog.folders import PACKAGED, Folders
from dlsetup.catalog.form import FrameworkFile, GeneratedFile, MeasuredFile
from dlsetup.catalog.generated_form import ListingFile, OverlapsFile
from dlsetup.catalog.hardware_form import HardwareFile
from dlsetup.catalog.image_form import ImageFile
from dlsetup.catalog.jobs import framework_files, index_jobs, jobs
from dlsetup.catalog.learning import Pages
from dlsetup.catalog.new_file import OVERLAPS
from dlsetup.catalog.pages import sdists_of, wheels_of
from dlsetup.catalog.releases import versions
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.source import Source

F = TypeVar("F")
T = TypeVar("T", HardwareFile, ImageFile)


class FileStatus(Record, frozen=True, kw_only=True):
    """One file of the catalog."""

    name: str
    """A framework, a distribution, an index, `overlaps`, or a file of hardware or images."""
    kind: Literal["framework", "distribution", "measured", "index", "overlaps", "hardware", "images"]
    origin: Literal["shipped", "user", "overlay", "none"]
    """`none`: nothing was ever learned."""
    path: str = ""
    checked: str = ""
    """ISO date. Of what people wrote, when the oldest of its sources was looked at."""
    age_days: int | Unknown = UNKNOWN
    rows: int = 0
    """Builds, releases, groups that share files, or rows of tables."""
    distribution: str = ""
    """Whose releases it speaks of."""
    newest: Version | None = None
    """The newest final release that it speaks of."""
    newer: tuple[Version, ...] | Unknown = UNKNOWN
    """Final releases that it does not know, newest first; unknown where nobody looked."""


class Lookout(Record, frozen=True, kw_only=True):
    """From where the files are looked at."""

    given: tuple[Path, ...] = ()
    """Overlays."""
    user: Path | None = None
    today: datetime.date

    def origin(self, path: str) -> Literal["shipped", "user", "overlay"]:
        """Whose folder a file lies in."""
        place = PurePath(path)
        if any(place.is_relative_to(folder) for folder in self.given):
            return "overlay"
        return "user" if self.user and place.is_relative_to(self.user) else "shipped"

    def age(self, checked: str) -> int | Unknown:
        """In days; unknown for what is no date."""
        try:
            return (self.today - datetime.date.fromisoformat(checked)).days
        except ValueError:
            return UNKNOWN


def statuses(names: Collection[str], place: Folders, lookout: Lookout) -> Iterator[FileStatus]:
    """Of the files of these frameworks and distributions, or of all.

    Raises `UsageError` for a name that the catalog does not know, `DataError` for a malformed file.
    """
    todo = [job.row.name for job in jobs(names, place)]
    files = framework_files(place)
    chosen = [file for file in files.values() if not names or file.name in names]
    for file in chosen:
        yield _framework(file, place, lookout)
    for name in todo:
        yield _distribution(name, place, lookout)
    for name in place.names("measured", ".json"):
        if name in todo:
            yield _measured(name, place, lookout)
    for other in index_jobs([file.name for file in chosen], place) if chosen else ():
        yield _index(other.index.name, place, lookout)
    if not names:
        yield _overlaps(place, lookout)
        for name in place.names("hardware", ".toml"):
            yield _table(FileStatus(name=name, kind="hardware", origin="none"), HardwareFile, place, lookout)
        for name in place.names("images", ".toml"):
            yield _table(FileStatus(name=name, kind="images", origin="none"), ImageFile, place, lookout)


def with_newer(found: Iterable[FileStatus], pages: Pages, sourced: Collection[str]) -> Iterator[FileStatus]:
    """The same, with the releases that the pages of an index have beyond the newest that is known.

    Of a framework's file those count that nobody has looked at yet (see `known_to`). `sourced`: distributions
    of which releases count that have no wheel.
    """
    for item in found:
        page = pages.get(item.distribution)
        if page is None or item.newest is None:
            yield item
            continue
        there = {*versions(wheels_of(page, item.newest))}
        if item.distribution in sourced:
            there |= {
                sdist.version for sdist in sdists_of(page, item.newest) if not sdist.version.is_prerelease
            }
        yield replace(item, newer=tuple(sorted(there - {item.newest}, reverse=True)))


def _framework(file: FrameworkFile, place: Folders, lookout: Lookout) -> FileStatus:
    empty = FileStatus(name=file.name, kind="framework", origin="none", distribution=file.distributions[0])
    learned = place.json(f"generated/{file.distributions[0]}.json", GeneratedFile)
    known = learned.installable() if learned else ()
    beyond = tuple(item for item in known if file.known_to and item > file.known_to)
    return replace(
        _written(empty, f"frameworks/{file.name}.toml", file.source, lookout),
        rows=len(file.build),
        newest=file.known_to,
        newer=beyond if file.known_to and learned else UNKNOWN,
    )


def _table(empty: FileStatus, form: type[T], place: Folders, lookout: Lookout) -> FileStatus:
    relative = f"{empty.kind}/{empty.name}.toml"
    file = place.toml(relative, form)
    if file is None:
        return empty
    tables = {name: getattr(file, name) for name in file.__struct_fields__ if name != "source"}
    return replace(
        _written(empty, relative, file.source, lookout), rows=sum(len(rows) for rows in tables.values())
    )


def _distribution(name: str, place: Folders, lookout: Lookout) -> FileStatus:
    empty = FileStatus(name=name, kind="distribution", origin="none", distribution=name)
    file, seen = _learned(empty, f"generated/{name}.json", GeneratedFile, place, lookout)
    if file is None:
        return seen
    newest = max(file.installable(), default=None)
    return replace(seen, rows=len(file.releases) or len(file.versions), newest=newest)


def _measured(name: str, place: Folders, lookout: Lookout) -> FileStatus:
    empty = FileStatus(name=name, kind="measured", origin="none")
    file, seen = _learned(empty, f"measured/{name}.json", MeasuredFile, place, lookout)
    return replace(seen, rows=len(file.rows)) if file else seen


def _index(name: str, place: Folders, lookout: Lookout) -> FileStatus:
    empty = FileStatus(name=name, kind="index", origin="none")
    file, seen = _learned(empty, f"generated/index-{name}.json", ListingFile, place, lookout)
    return replace(seen, rows=sum(len(item.releases) for item in file.distributions)) if file else seen


def _overlaps(place: Folders, lookout: Lookout) -> FileStatus:
    empty = FileStatus(name=OVERLAPS, kind="overlaps", origin="none")
    file, seen = _learned(empty, f"generated/{OVERLAPS}.json", OverlapsFile, place, lookout)
    return replace(seen, rows=len(file.libraries) + len(file.twins)) if file else seen


def _written(empty: FileStatus, relative: str, sources: Iterable[Source], lookout: Lookout) -> FileStatus:
    """Of a file that a person wrote: the first folder that has it counts."""
    folder = next(folder for folder in (*lookout.given, PACKAGED) if (folder / relative).is_file())
    return _dated(empty, str(folder / relative), min((item.checked for item in sources), default=""), lookout)


def _learned(
    empty: FileStatus, relative: str, form: type[F], place: Folders, lookout: Lookout
) -> tuple[F | None, FileStatus]:
    """Of a file that was made out of what an index says: its record too, where there is one."""
    file, sheet = place.json(relative, form), place.sheet(relative)
    if file is None or sheet is None:
        return None, empty
    return file, _dated(empty, sheet.where, sheet.head.checked, lookout)


def _dated(empty: FileStatus, path: str, checked: str, lookout: Lookout) -> FileStatus:
    return replace(
        empty,
        origin=lookout.origin(path),
        path=path,
        checked=checked,
        age_days=lookout.age(checked),
    )
