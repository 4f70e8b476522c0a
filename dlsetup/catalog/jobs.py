"""Which distributions a refresh has to learn about."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from dlsetup.catalog.asking import asked_for
from dlsetup.catalog.folders import Folders
from dlsetup.catalog.form import FIRST, DistributionRow, FrameworkFile, IndexFile
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Index
from dlsetup.model.record import Record

LIBRARIES = ("nvidia-", "cuda-", "tensorrt")
"""How the names of CUDA libraries begin."""


class Job(Record, frozen=True, kw_only=True):
    """A distribution to learn about."""

    row: DistributionRow
    library: bool
    """Only the versions are kept, not the releases."""
    required: bool
    """It is a library of some framework: what its versions are built for is kept."""


class IndexJob(Record, frozen=True, kw_only=True):
    """An index of a framework's own, and the distributions that builds of it come from."""

    index: Index
    distributions: tuple[DistributionRow, ...]


class Owners(Record, frozen=True, kw_only=True):
    """Distributions that may overwrite each other's files."""

    libraries: tuple[str, ...]
    twins: tuple[tuple[str, ...], ...]

    @property
    def names(self) -> set[str]:
        return {*self.libraries, *(name for group in self.twins for name in group)}


def jobs(names: Iterable[str], place: Folders) -> list[Job]:
    """The distributions of these names, in alphabetical order; without names, all that the catalog uses.

    The name of a framework stands for everything it is composed of and the libraries it pins. Raises
    `UsageError` for a name that is neither.
    """
    files = framework_files(place)
    every = _every(files.values())
    wanted: set[str] = set()
    for name in names:
        if name in files:
            wanted |= _uses(files[name])
        elif name in every:
            wanted.add(name)
        else:
            hint = f"It has the frameworks {', '.join(files)}, and distributions that they use."
            raise UsageError(f"the catalog has no framework or distribution `{name}`", hint=hint)
    return [every[name] for name in sorted(wanted or every)]


def index_jobs(names: Collection[str], place: Folders) -> list[IndexJob]:
    """The other indexes that builds of these frameworks come from; without names, of all frameworks."""
    files = framework_files(place)
    listed = place.toml("indexes.toml", IndexFile) or IndexFile()
    wanted: dict[str, dict[str, DistributionRow]] = {item.name: {} for item in listed.index if item.url}
    for file in files.values():
        if names and file.name not in names:
            continue
        rows = (files.get(file.like.framework, file) if file.like else file).build
        for row in rows:
            if row.index in wanted:
                wanted[row.index] |= {name: _since(name, file) for name in asked_for(row, file)}
    return [
        IndexJob(index=item, distributions=tuple(found[name] for name in sorted(found)))
        for item in listed.index
        if (found := wanted.get(item.name))
    ]


def owners(place: Folders) -> Owners:
    """The CUDA libraries that frameworks bring along, and the groups of twins; nothing is both."""
    files = framework_files(place).values()
    twins = tuple(sorted({group for file in files for group in file.twins}))
    every = {name for file in files for name in _uses(file)} - {name for group in twins for name in group}
    return Owners(libraries=tuple(sorted(name for name in every if name.startswith(LIBRARIES))), twins=twins)


def framework_files(place: Folders) -> dict[str, FrameworkFile]:
    """All frameworks' files by name."""
    known = place.names("frameworks", ".toml")
    return {name: file for name in known if (file := place.toml(f"frameworks/{name}.toml", FrameworkFile))}


def _since(name: str, file: FrameworkFile) -> DistributionRow:
    rows = [row for row in file.distribution if row.name == name] or list(file.distribution[:1])
    return DistributionRow(name=name, since=rows[0].since if rows else FIRST)


def _every(files: Iterable[FrameworkFile]) -> dict[str, Job]:
    """By name; what is a library of one framework and a part of another one is learned whole."""
    found: dict[str, Job] = {}
    rows: dict[str, DistributionRow] = {}
    for file in files:
        for name in file.libraries:
            found[name] = Job(row=DistributionRow(name=name), library=True, required=True)
        for row in file.distribution:
            rows[row.name] = _joined(rows[row.name], row) if row.name in rows else row
    return found | {name: Job(row=row, library=False, required=name in found) for name, row in rows.items()}


def _joined(one: DistributionRow, other: DistributionRow) -> DistributionRow:
    """What two frameworks want to know of the same distribution."""
    extras = tuple(sorted({*one.extras, *other.extras}))
    sources = one.sources or other.sources
    return DistributionRow(name=one.name, since=min(one.since, other.since), extras=extras, sources=sources)


def _uses(file: FrameworkFile) -> set[str]:
    return {*file.libraries, *(row.name for row in file.distribution)}
