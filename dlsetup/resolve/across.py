"""Several platforms under one lock: one Python, the same releases, each platform with builds of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from dlsetup.resolve.pieces import PYTHON, Ask, BuildChoice, Choice, PythonChoice, Refusal
from dlsetup.resolve.question import Question
from dlsetup.resolve.search import Settled
from dlsetup.resolve.shared import Shared

Item = TypeVar("Item")
RELEASE = "release "
"""Beginning of the keys that hold a framework to one release on all platforms."""


class Across(Question):
    """The questions of several platforms as one: their keys side by side, those of the second marked `|1`."""

    def __init__(self, parts: Sequence[Shared]) -> None:
        first = parts[0]
        super().__init__(first.wish, first.target, first.catalog)
        self.parts = tuple(parts)
        self.frameworks = _side_by_side([part.frameworks for part in parts])
        self.wanted = _side_by_side([part.wanted for part in parts])
        self._own: dict[Choice, tuple[int, Choice]] = {}
        """Of each choice the platform, and the choice as that platform knows it."""

    def part_of(self, settled: Settled, place: int) -> Settled:
        """What was settled for one platform, in its own words."""
        found: Settled = {PYTHON: _like(self.parts[place], settled[PYTHON])}
        for choice in settled.values():
            where, own = self._own.get(choice, (-1, choice))
            if where == place:
                found[own.key] = own
        return found

    def roots(self) -> Iterator[Ask]:
        for place, part in enumerate(self.parts):
            yield from (_placed(ask, place) for ask in part.roots())

    def wishes(self) -> dict[str, str]:
        return {clause: name for part in reversed(self.parts) for clause, name in part.wishes().items()}

    def _make(self, key: str) -> Iterator[Choice]:
        if key == PYTHON:
            yield from self.parts[0].choices(PYTHON)
            return
        if key.startswith(RELEASE):
            name = key.removeprefix(RELEASE)
            builds = next(part.frameworks[name].builds for part in self.parts if name in part.frameworks)
            found = {build.version for build in builds}
            yield from (Choice(key, {"version": version}) for version in sorted(found, reverse=True))
            return
        bare, place = _bare(key)
        for own in self.parts[place].choices(bare):
            choice = _twin(own, key)
            self._own[choice] = (place, own)
            yield choice

    def _ask(self, choice: Choice) -> Iterator[Ask]:
        if choice not in self._own:
            return
        place, own = self._own[choice]
        yield from (_placed(ask, place) for ask in self.parts[place].asks(own))
        if isinstance(own, BuildChoice):
            yield Ask(f"{RELEASE}{own.key}", "version", frozenset({own.build.version}))

    def refusals(self, choice: Choice) -> Iterator[Refusal]:
        for part, own in self._parts_of(choice):
            yield from part.refusals(own)

    def forbids_anywhere(self, choice: Choice) -> Iterator[frozenset[str]]:
        for part, own in self._parts_of(choice):
            yield from part.forbids_anywhere(own)

    def forbids_here(self, choice: Choice) -> Iterator[frozenset[str]]:
        for part, own in self._parts_of(choice):
            yield from part.forbids_here(own)

    def _parts_of(self, choice: Choice) -> Iterator[tuple[Question, Choice]]:
        """The platforms that judge a choice, each with the choice as it knows it."""
        if choice.key == PYTHON:
            yield from ((part, _like(part, choice)) for part in self.parts)
        elif choice in self._own:
            place, own = self._own[choice]
            yield self.parts[place], own


def _side_by_side(parts: Sequence[Mapping[str, Item]]) -> dict[str, Item]:
    """What each platform knows by name, under the keys of all: in the order of the names."""
    names = dict.fromkeys(name for part in parts for name in part)
    return {
        _key(name, place): part[name] for name in names for place, part in enumerate(parts) if name in part
    }


def _key(key: str, place: int) -> str:
    return key if place == 0 or key == PYTHON else f"{key}|{place}"


def _bare(key: str) -> tuple[str, int]:
    bare, _, place = key.partition("|")
    return bare, int(place or 0)


def _placed(ask: Ask, place: int) -> Ask:
    return ask._replace(key=_key(ask.key, place))


def _twin(own: Choice, key: str) -> Choice:
    """The same choice under another key."""
    if not isinstance(own, BuildChoice):
        return Choice(key, own.facets)
    twin = BuildChoice(own.build, own.interpreter, own.facets)
    twin.key = key
    return twin


def _like(part: Question, python: Choice) -> Choice:
    """The Python of a platform that is the same as this one."""
    found = (item for item in part.choices(PYTHON) if item.facets == python.facets)
    default = PythonChoice(python.interpreter) if isinstance(python, PythonChoice) else python
    return next(found, default)
