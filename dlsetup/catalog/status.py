"""How old each file of the catalog is, where it comes from, and what newer releases it does not know."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Literal

from msgspec.structs import replace
from packaging.version import Version

from dlsetup.catalog.folders import PACKAGED, Folders, Sheet
from dlsetup.catalog.form import FrameworkFile, GeneratedFile
from dlsetup.catalog.generated_form import ListingFile, OverlapsFile
from dlsetup.catalog.jobs import framework_files, index_jobs, jobs
from dlsetup.catalog.learning import Pages
from dlsetup.catalog.new_file import OVERLAPS
from dlsetup.catalog.releases import sdists_of, versions, wheels_of
from dlsetup.model.record import UNKNOWN, Record, Unknown


class FileStatus(Record, frozen=True, kw_only=True):
    """One file of the catalog."""

    name: str
    """A framework, a distribution, an index, or `overlaps`."""
    kind: Literal["framework", "distribution", "index", "overlaps"]
    origin: Literal["shipped", "user", "overlay", "none"]
    """`none`: nothing was ever learned."""
    path: str = ""
    checked: str = ""
    """ISO date. Of a framework's file, when the oldest of its sources was looked at."""
    age_days: int | Unknown = UNKNOWN
    rows: int = 0
    """Builds of a framework, releases of a distribution or an index, groups that share files."""
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
        if any(path.startswith(f"{folder}/") for folder in self.given):
            return "overlay"
        return "user" if self.user and path.startswith(f"{self.user}/") else "shipped"

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
    todo = jobs(names, place)
    files = framework_files(place)
    chosen = [file for file in files.values() if not names or file.name in names]
    for file in chosen:
        yield _framework(file, place, lookout)
    for job in todo:
        yield _distribution(job.row.name, place, lookout)
    for other in index_jobs([file.name for file in chosen], place) if chosen else ():
        yield _index(other.index.name, place, lookout)
    if not names:
        yield _overlaps(place, lookout)


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
    relative = f"frameworks/{file.name}.toml"
    folder = next(folder for folder in (*lookout.given, PACKAGED) if (folder / relative).is_file())
    checked = min((source.checked for source in file.source), default="")
    learned = place.json(f"generated/{file.distributions[0]}.json", GeneratedFile)
    known = learned.installable() if learned else ()
    beyond = tuple(item for item in known if file.known_to and item > file.known_to)
    return FileStatus(
        name=file.name,
        kind="framework",
        origin=lookout.origin(str(folder / relative)),
        path=str(folder / relative),
        checked=checked,
        age_days=lookout.age(checked),
        rows=len(file.build),
        distribution=file.distributions[0],
        newest=file.known_to,
        newer=beyond if file.known_to and learned else UNKNOWN,
    )


def _distribution(name: str, place: Folders, lookout: Lookout) -> FileStatus:
    empty = FileStatus(name=name, kind="distribution", origin="none", distribution=name)
    file = place.json(f"generated/{name}.json", GeneratedFile)
    if file is None:
        return empty
    known = file.installable()
    seen = _seen(empty, place.sheet(f"generated/{name}.json"), lookout)
    return replace(seen, rows=len(file.releases) or len(file.versions), newest=max(known, default=None))


def _index(name: str, place: Folders, lookout: Lookout) -> FileStatus:
    empty = FileStatus(name=name, kind="index", origin="none")
    file = place.json(f"generated/index-{name}.json", ListingFile)
    if file is None:
        return empty
    seen = _seen(empty, place.sheet(f"generated/index-{name}.json"), lookout)
    return replace(seen, rows=sum(len(item.releases) for item in file.distributions))


def _overlaps(place: Folders, lookout: Lookout) -> FileStatus:
    empty = FileStatus(name=OVERLAPS, kind="overlaps", origin="none")
    file = place.json(f"generated/{OVERLAPS}.json", OverlapsFile)
    if file is None:
        return empty
    seen = _seen(empty, place.sheet(f"generated/{OVERLAPS}.json"), lookout)
    return replace(seen, rows=len(file.libraries) + len(file.twins))


def _seen(empty: FileStatus, sheet: Sheet | None, lookout: Lookout) -> FileStatus:
    if sheet is None:
        return empty
    checked = sheet.head.checked
    return replace(
        empty,
        origin=lookout.origin(sheet.where),
        path=sheet.where,
        checked=checked,
        age_days=lookout.age(checked),
    )
