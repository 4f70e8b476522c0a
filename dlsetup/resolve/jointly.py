"""Decisions that no framework can take by itself: the fewest bytes together, the fewest changes in all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import combinations
from typing import Any

from dlsetup.model.errors import UsageError
from dlsetup.resolve.pieces import ALL, PYTHON, Ask, BuildChoice
from dlsetup.resolve.question import Question
from dlsetup.resolve.search import Settled, settle

TOGETHER = "together"
MOST_SEARCHES = 300
"""Before the search for the fewest bytes is content with what it has; counted, so it always ends alike."""
MOST_ROUNDS = 1500
"""Steps of one such search: some that lead nowhere would take minutes to find that out."""
Weight = tuple[int, int]
"""Wheels of which nobody knows the bytes, and the bytes of the others."""


def jointly(question: Question, settled: Settled, limits: list[Ask]) -> Settled:
    """The best way by what the wish prefers of all frameworks together; `limits` grow by what that fixes."""
    if question.wish.prefer == "smallest":
        return _Lightest(question, settled, limits).find()
    if question.wish.prefer == "keep":
        settled = _keep(question, limits, list(_kept_releases(question))) or settled
        return _keep(question, limits, list(_kept_variants(question))) or settled
    return settled


class _Lightest:
    """Branch and bound over the frameworks of the wish, with what each could still come down to as the bound.

    Exact as long as it needs no more than MOST_SEARCHES; after that the best way so far is taken, and the
    plan says so.
    """

    def __init__(self, question: Question, settled: Settled, limits: list[Ask]) -> None:
        self.question = question
        self.limits = limits
        self.best = settled
        self.least = self._total(settled)
        self.weights = {name: self._weights(name) for name in question.wanted}
        self.names = sorted(question.wanted, key=self._spread, reverse=True)
        self.searches = 0

    def find(self) -> Settled:
        floors = {name: weights[0] for name, weights in self.weights.items()}
        self._descend(0, self.limits, self.best, floors)
        if self.searches > MOST_SEARCHES:
            self.question.preference.exhausted = True
        for name in self.names:
            self.limits.append(Ask(name, "bytes", frozenset({_weight(self.best, name)})))
        return self.best

    def _descend(self, place: int, limits: list[Ask], found: Settled, floors: dict[str, Weight]) -> None:
        """Everything below one node; `found` is a way within its limits, `floors` hold for all of them."""
        floors = self._raised(self.names[place:], limits, found, floors)
        if _sum(floors.values()) >= self.least or self._settle(limits, floors) or place == len(self.names):
            return
        name = self.names[place]
        for weight in self.weights[name]:
            here = {**floors, name: weight}
            if weight < floors[name]:
                continue
            if _sum(here.values()) >= self.least:
                return
            narrower = [*limits, _of(name, weight)]
            below = self._search(narrower)
            if below is not None:
                self._descend(place + 1, narrower, below, here)

    def _settle(self, limits: list[Ask], floors: dict[str, Weight]) -> bool:
        """Whether all can be as light as each alone: then nothing below is better."""
        return self._search([*limits, *(_of(name, floors[name]) for name in self.names)]) is not None

    def _raised(
        self, names: list[str], limits: list[Ask], found: Settled, floors: dict[str, Weight]
    ) -> dict[str, Weight]:
        """The least weight that each framework can have within the limits, the others as they may be."""
        raised = dict(floors)
        for name in names:
            for weight in self.weights[name]:
                if weight < floors[name]:
                    continue
                raised[name] = weight
                if _weight(found, name) == weight or self._search([*limits, _of(name, weight)]) is not None:
                    break
                if _sum(raised.values()) >= self.least:
                    return raised
        return raised

    def _search(self, limits: list[Ask]) -> Settled | None:
        """A way within the limits, remembered if it is the best so far."""
        self.searches += 1
        if self.searches > MOST_SEARCHES:
            return None
        found = _try(self.question, limits)
        if found is not None and self._total(found) < self.least:
            self.best, self.least = found, self._total(found)
        return found

    def _total(self, settled: Settled) -> Weight:
        return _sum(_weight(settled, name) for name in self.question.wanted)

    def _spread(self, name: str) -> Weight:
        """How much there is to gain: what weighs most is decided first, and the rest is soon ruled out."""
        known = [weight for weight in self.weights[name] if not weight[0]]
        return (len(self.weights[name]) > len(known), known[-1][1] - known[0][1] if known else 0)

    def _weights(self, name: str) -> list[Weight]:
        """Every weight that a choice within the limits may have, the least first."""
        mine = [limit for limit in self.limits if limit.key == name]
        choices = (item for item in self.question.choices(name) if all(limit.admits(item) for limit in mine))
        found: set[Any] = {item.facets["bytes"] for item in choices if self.question.admitted(item, ALL)}
        return sorted(found)


def _keep(question: Question, limits: list[Ask], kept: list[Ask]) -> Settled | None:
    """As many of `kept` as can hold together, of as many the ones that stand first; `limits` grow by them.

    Whatever is let go has to hit every set found so far of which not all can be kept. The first that hits
    them all is tried; where it fails, there is one more such set. Exact, unless a search was ended.
    """
    possible = [ask for ask in kept if _try(question, [*limits, ask]) is not None]
    apart: list[list[Ask]] = []
    while True:
        gone = next(filter(partial(_hits, apart), _smallest_first(possible)))
        staying = [ask for ask in possible if ask not in gone]
        found = _try(question, [*limits, *staying])
        if found is not None:
            limits += staying
            return found
        if not staying:
            return None
        apart.append(_not_together(question, limits, staying))


def _try(question: Question, limits: list[Ask]) -> Settled | None:
    """A way within the limits; None as well where the search was ended, which the plan then says."""
    try:
        return settle(question, limits=limits, rounds=MOST_ROUNDS)
    except UsageError:  # not found out in so many steps
        question.preference.exhausted = True
        return None


def _smallest_first(asks: list[Ask]) -> Iterator[tuple[Ask, ...]]:
    """Every set of them, the smaller ones first, of one size those of what stands last."""
    for count in range(len(asks) + 1):
        yield from combinations(reversed(asks), count)


def _hits(sets: list[list[Ask]], gone: tuple[Ask, ...]) -> bool:
    return all(any(ask in gone for ask in each) for each in sets)


def _not_together(question: Question, limits: list[Ask], asks: list[Ask]) -> list[Ask]:
    """A smallest set of asks that cannot hold together, found by leaving out one after the other."""
    core = list(asks)
    for ask in asks:
        rest = [item for item in core if item != ask]
        if _try(question, [*limits, *rest]) is None:
            core = rest
    return core


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


def _of(name: str, weight: Weight) -> Ask:
    return Ask(name, "bytes", frozenset({weight}))


def _weight(settled: Settled, name: str) -> Weight:
    weight: Any = settled[name].facets["bytes"]
    return weight  # type: ignore[no-any-return]


def _sum(weights: Iterable[Weight]) -> Weight:
    unknown = known = 0
    for more_unknown, more in weights:
        unknown += more_unknown
        known += more
    return unknown, known
