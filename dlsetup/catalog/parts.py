"""Builds made of several distributions: `jax[cuda12]` needs wheels of jaxlib and of its plugin too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from dlsetup.catalog.form import BuildRow, Release, WheelRow
from dlsetup.catalog.platforms import ANY, demand
from dlsetup.catalog.requirements import Asked, requires_on, under
from dlsetup.catalog.shelf import Shelf
from dlsetup.model.framework import Wheels
from dlsetup.model.record import UNKNOWN, Record


class Part(Record, frozen=True, kw_only=True):
    """One release that a build consists of."""

    name: str
    release: Release


class MadeOf(Record, frozen=True, kw_only=True):
    """The parts of a build beside its own distribution, and what all of it requires."""

    parts: tuple[Part, ...]
    requires: tuple[str, ...]


def with_parts(requires: Sequence[str], row: BuildRow, shelf: Shelf, family: str) -> MadeOf | None:
    """The parts that the row names, with their requirements taken over; None if a part is missing."""
    found = list(requires)
    parts: list[Part] = []
    for name in row.parts:
        asked = next((item for item in map(shelf.asked, found) if item.name == name), None)
        chosen = asked and shelf.newest(name, asked.specifier)
        if not asked or not chosen:
            return None
        parts.append(Part(name=name, release=chosen))
        _take_over(found, asked, chosen, family)
    for name in row.expand:
        for asked in [item for item in map(shelf.asked, found) if item.name == name]:
            chosen = shelf.newest(name, asked.specifier)
            if chosen:
                _take_over(found, asked, chosen, family)
    return MadeOf(parts=tuple(parts), requires=tuple(found))


def common_wheels(rows: Iterable[Sequence[WheelRow]], *, measured: bool) -> tuple[Wheels, ...]:
    """Where and for which Pythons there is a wheel of every part. `measured`: the sizes are theirs."""
    made = (_common(chosen, measured=measured) for chosen in product(*rows))
    return tuple(wheels for wheels in made if wheels.pythons)


def _common(rows: Sequence[WheelRow], *, measured: bool) -> Wheels:
    tags = {row.platform for row in rows} - {ANY}
    size = sum(row.size_bytes for row in rows)
    return Wheels(
        pythons=_common_pythons(row.pythons.split() for row in rows),
        platform=max(tags, key=demand) if len(tags) > 1 else next(iter(tags), ANY),
        size_bytes=size if measured and all(row.size_bytes for row in rows) else UNKNOWN,
    )


def _common_pythons(groups: Iterable[list[str]]) -> tuple[str, ...]:
    """Tags in every group; a wheel for any Python 3 limits nothing."""
    common: list[str] | None = None
    for group in groups:
        if common is None or "py3" in common:
            common = group
        elif "py3" not in group:
            common = [tag for tag in common if tag in group]
    return tuple(common or ())


def _take_over(found: list[str], asked: Asked, release: Release, family: str) -> None:
    new = under(asked.marker, requires_on(release, family, asked.extras))
    found += (item for item in new if item not in found)
