"""How requirements that stand in a file become those of a plan: each where it stands, none twice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from dlsetup.plan.draft import holds
from dlsetup.plan.lock_project import with_marker
from dlsetup.resolve.sources import names_a_device


class Where(NamedTuple):
    """The platforms of the plans."""

    environments: Sequence[Mapping[str, str] | None]
    marker: str = ""
    """Holds on all of them and nowhere else; empty: nobody knows, or it is everywhere."""
    twins: Mapping[str, str] = {}
    """Names of which only one may be installed, each with the first of them."""
    device_extras: Collection[str] = ()
    """Extras that the plan decides about, beside those whose name says that they are for a device."""


class Edits(NamedTuple):
    """What becomes of a list of requirements."""

    changed: dict[int, list[str]]
    """By place: what stands there instead; nothing: it goes."""
    added: list[str]
    notes: list[str]


def edits(present: Sequence[str], wanted: Sequence[str], owned: Collection[str], where: Where) -> Edits:
    """What leads from what is present to what is wanted.

    What the plan owns replaces every entry that holds on its platforms; entries for others stay. Of anything
    else an entry that is there counts more: it is the user's own.
    """
    theirs = _by_name(present, where.twins)
    found = Edits({}, [], [])
    for name, ours in _by_name(wanted, where.twins).items():
        entries = theirs.get(name, {})
        if name in owned:
            _replace(found, entries, list(ours.values()), where)
        elif not entries:
            found.added.extend(map(as_text, ours.values()))
    return found


def names_in(present: Sequence[str], twins: Mapping[str, str]) -> frozenset[str]:
    """What a list asks for, by canonical name; of several names of one framework the first."""
    return frozenset(_by_name(present, twins))


def bounds(present: Sequence[str], wanted: Sequence[str]) -> Edits:
    """The same of bounds: what bounds a package already is joined with what the plan says."""
    theirs = _by_name(present)
    found = Edits({}, [], [])
    for name, ours in _by_name(wanted).items():
        entries = list(theirs.get(name, {}).items())
        for text in map(str, ours.values()):
            item = Requirement(text)
            same = next((pair for pair in entries if str(pair[1].marker) == str(item.marker)), None)
            if same is None:
                found.added.append(as_text(item))
            elif not set(item.specifier) <= set(same[1].specifier):
                item.specifier &= same[1].specifier
                found.changed[same[0]] = [as_text(item)]
    return found


def _replace(
    found: Edits, entries: Mapping[int, Requirement], ours: Sequence[Requirement], where: Where
) -> None:
    applying = {
        place: item
        for place, item in entries.items()
        if any(holds(_marker(item), each) is not False for each in where.environments)
    }
    rest = [item for place, item in entries.items() if place not in applying]
    lines = list(_lines(ours, applying, rest, where))
    if [as_text(item) for item in applying.values()] == lines:
        return
    if not applying:
        found.added.extend(lines)
    names = {canonicalize_name(item.name) for item in ours}
    others = " and ".join(sorted(names))
    for number, (place, item) in enumerate(applying.items()):
        told = lines if number == 0 else []
        if told != [as_text(item)]:
            found.changed[place] = told
        if item.url and number == 0:
            found.notes.append(f"{item.name} came from an address: {item.url[:200]}")
        if canonicalize_name(item.name) not in names:
            found.notes.append(f"{item.name} gives way to {others}: they own the same files")


def _lines(
    ours: Sequence[Requirement],
    applying: Mapping[int, Requirement],
    rest: Sequence[Requirement],
    where: Where,
) -> Iterator[str]:
    """What is wanted, with the extras that have nothing to do with the device, and a marker that is kept."""
    extras = [extra for item in applying.values() for extra in item.extras]
    name = next((item.name for item in applying.values()), "")
    marker = next((_marker(item) for item in applying.values()), "")
    for item in ours:
        item.extras = set(with_kept(item.extras, extras, where.device_extras))
        item.name = name if canonicalize_name(name) == canonicalize_name(item.name) else item.name
        if len(ours) == 1 and item.marker is None and (marker or (rest and where.marker)):
            yield as_text(Requirement(with_marker(str(item), marker or where.marker)))
        else:
            yield as_text(item)


def with_kept(extras: Iterable[str], theirs: Iterable[str], decided: Collection[str]) -> list[str]:
    """Extras of the plan, and those that are there and that it does not decide about, as they are spelt."""
    kept = {canonicalize_name(extra): extra for extra in theirs if not names_a_device(extra)}
    kept = {name: extra for name, extra in kept.items() if name not in decided}
    return sorted({**{canonicalize_name(extra): extra for extra in extras}, **kept}.values())


def as_text(item: Requirement) -> str:
    """A requirement as people write it inside of double quotes."""
    text = str(item)
    head, mark, marker = text.partition(" ; " if item.url else "; ")
    return f"{head} ; {marker.replace(chr(34), chr(39))}" if mark and "'" not in marker else text


def _marker(item: Requirement) -> str:
    return str(item.marker) if item.marker else ""


def _by_name(
    texts: Sequence[str], twins: Mapping[str, str] | None = None
) -> dict[str, dict[int, Requirement]]:
    """What can be read, by canonical name (or group of names) and place."""
    found: dict[str, dict[int, Requirement]] = {}
    for place, text in enumerate(texts):
        try:
            item = Requirement(text)
        except (InvalidRequirement, RecursionError):
            continue
        name = canonicalize_name(item.name)
        found.setdefault((twins or {}).get(name, name), {})[place] = item
    return found
