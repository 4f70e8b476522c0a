"""Which distributions a refresh has to learn about."""

from __future__ import annotations

from collections.abc import Iterable

from dlsetup.catalog.folders import Folders
from dlsetup.catalog.form import DistributionRow, FrameworkFile
from dlsetup.model.errors import UsageError
from dlsetup.model.record import Record


class Job(Record, frozen=True, kw_only=True):
    """A distribution to learn about. Of a library only the versions are kept."""

    row: DistributionRow
    library: bool


def jobs(names: Iterable[str], place: Folders) -> list[Job]:
    """The distributions of these names, in alphabetical order; without names, all that the catalog uses.

    The name of a framework stands for everything it is composed of and the libraries it pins. Raises
    `UsageError` for a name that is neither.
    """
    known = place.names("frameworks", ".toml")
    files = {name: file for name in known if (file := place.toml(f"frameworks/{name}.toml", FrameworkFile))}
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


def _every(files: Iterable[FrameworkFile]) -> dict[str, Job]:
    """By name; what is a library of one framework and a part of another one is learned whole."""
    found: dict[str, Job] = {}
    rows: dict[str, DistributionRow] = {}
    for file in files:
        for name in file.libraries:
            found[name] = Job(row=DistributionRow(name=name), library=True)
        for row in file.distribution:
            rows[row.name] = _joined(rows[row.name], row) if row.name in rows else row
    return found | {name: Job(row=row, library=False) for name, row in rows.items()}


def _joined(one: DistributionRow, other: DistributionRow) -> DistributionRow:
    """What two frameworks want to know of the same distribution."""
    extras = tuple(sorted({*one.extras, *other.extras}))
    sources = one.sources or other.sources
    return DistributionRow(name=one.name, since=min(one.since, other.since), extras=extras, sources=sources)


def _uses(file: FrameworkFile) -> set[str]:
    return {*file.libraries, *(row.name for row in file.distribution)}
