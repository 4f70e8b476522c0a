"""Decisions that no framework can take by itself: the fewest bytes together, the fewest changes in all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from dlsetup.resolve.pieces import ALL, PYTHON, Ask, BuildChoice
from dlsetup.resolve.question import Question
from dlsetup.resolve.search import Settled, settle

TOGETHER = "together"
Weight = tuple[int, int]
"""Wheels of which nobody knows the bytes, and the bytes of the others."""


def jointly(question: Question, settled: Settled, limits: list[Ask]) -> Settled:
    """The best way by what the wish prefers of all frameworks together; `limits` grow by what that fixes."""
    if question.wish.prefer == "smallest":
        return _Lightest(question, settled, limits).find()
    if question.wish.prefer == "keep":
        settled = _keep(question, settled, limits, list(_kept_releases(question)))
        return _keep(question, settled, limits, list(_kept_variants(question)))
    return settled


class _Lightest:
    """Branch and bound over the frameworks of the wish: exact, and the first way down is a good one."""

    def __init__(self, question: Question, settled: Settled, limits: list[Ask]) -> None:
        self.question = question
        self.limits = limits
        self.names = list(question.wanted)
        self.best = settled
        self.least = _sum(_weight(settled, name) for name in self.names)
        self.weights = {name: self._weights(name) for name in self.names}

    def find(self) -> Settled:
        self._descend(0, self.limits, (0, 0))
        for name in self.names:
            self.limits.append(_same(self.best, name))
        return self.best

    def _descend(self, place: int, limits: Sequence[Ask], spent: Weight) -> None:
        rest = _sum(self.weights[name][0] for name in self.names[place + 1 :])
        name = self.names[place]
        for weight in self.weights[name]:
            if _sum((spent, weight, rest)) >= self.least:
                return
            narrower = [*limits, Ask(name, "bytes", frozenset({weight}))]
            found = settle(self.question, limits=narrower)
            if found is None:
                continue
            total = _sum(_weight(found, item) for item in self.names)
            if total < self.least:
                self.best, self.least = found, total
            if place + 1 < len(self.names):
                self._descend(place + 1, narrower, _sum((spent, weight)))

    def _weights(self, name: str) -> list[Weight]:
        """Every weight that a choice within the limits may have, the least first."""
        mine = [limit for limit in self.limits if limit.key == name]
        choices = (item for item in self.question.choices(name) if all(limit.admits(item) for limit in mine))
        found: set[Any] = {item.facets["bytes"] for item in choices if self.question.admitted(item, ALL)}
        return sorted(found)


def _keep(question: Question, settled: Settled, limits: list[Ask], kept: list[Ask]) -> Settled:
    """As many of `kept` as can hold together, of as many the ones that stand first. Exact.

    What cannot be kept even alone is let go first, so that few sets are left to try.
    """
    possible = [ask for ask in kept if settle(question, limits=[*limits, ask]) is not None]
    for count in range(len(possible) + 1):
        for gone in combinations(reversed(possible), count):
            staying = [ask for ask in possible if ask not in gone]
            found = settle(question, limits=[*limits, *staying])
            if found is not None:
                limits += staying
                return found
    return settled


def _kept_releases(question: Question) -> Iterator[Ask]:
    """Python and the release of each framework that is there already."""
    python = question.wish.kept_python
    if python is not None:
        yield Ask(PYTHON, "python", frozenset({f"{python.major}.{python.minor}"}))
    for name in question.frameworks:
        kept = question.preference.kept.get(name)
        if kept is not None:
            versions = (item.version for item in question.frameworks[name].of(kept.version))
            yield Ask(name, "version", frozenset(versions))


def _kept_variants(question: Question) -> Iterator[Ask]:
    for name in question.frameworks:
        kept = question.preference.kept.get(name)
        if kept is None or not (kept.variant or kept.index):
            continue
        same = {
            choice.facets["variant"]
            for choice in question.choices(name)
            if isinstance(choice, BuildChoice)
            and kept.variant in ("", choice.build.variant)
            and kept.index in ("", choice.build.index)
        }
        yield Ask(name, "variant", frozenset(same))


def _same(settled: Settled, name: str) -> Ask:
    return Ask(name, "bytes", frozenset({settled[name].facets["bytes"]}))


def _weight(settled: Settled, name: str) -> Weight:
    weight: Any = settled[name].facets["bytes"]
    return weight  # type: ignore[no-any-return]


def _sum(weights: Iterator[Weight] | Sequence[Weight]) -> Weight:
    unknown = known = 0
    for more_unknown, more in weights:
        unknown += more_unknown
        known += more
    return unknown, known
