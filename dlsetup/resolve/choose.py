"""The best way to settle a question: one decision after another, each kept open as long as it can be."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any

from dlsetup.resolve.jointly import TOGETHER, jointly
from dlsetup.resolve.pieces import ALL, PYTHON, Ask, Choice
from dlsetup.resolve.question import Question
from dlsetup.resolve.search import Settled, settle

_ORDERS: Mapping[str, Callable[[Any], Any]] = {
    "preferred": lambda yes: not yes,
    "recent": lambda yes: not yes,
    "bytes": lambda weight: weight,
}
"""Facets whose own order counts; of all others the choices are in order already."""


def best(question: Question) -> Settled | None:
    """The best of all ways, or None if there is none.

    In this order: a GPU for each framework, what the wish prefers of releases, the best variant, then Python.
    Each decision takes the best value for which the search still finds a way for all the rest, so the
    answer does not depend on the order of rows or on how the search proceeds.
    """
    settled = settle(question)
    if settled is None:
        return None
    limits: list[Ask] = []
    for key, facet in _decisions(question):
        if facet == TOGETHER:
            settled = jointly(question, settled, limits)
            continue
        if key not in settled:
            continue
        for value in _better(question, settled[key], facet, limits):
            wanted = [*limits, Ask(key, facet, frozenset({value}))]
            found = settle(question, limits=wanted) if _may_hold(question, key, wanted) else None
            if found is not None:
                settled = found
                break
        if key in settled:
            limits.append(Ask(key, facet, frozenset({settled[key].facets[facet]})))
    return settled


def _decisions(question: Question) -> Iterator[tuple[str, str]]:
    """Keys and facets in the order of their weight: first what is asked for, then what that brings along."""
    brought = [name for name in question.frameworks if name not in question.wanted]
    yield from ((name, "preferred") for name in question.wanted)
    if question.wish.prefer == "smallest":
        yield from ((name, "recent") for name in question.wanted)
    yield "", TOGETHER
    yield from ((name, facet) for facet in ("version", "variant") for name in question.wanted)
    weighed = ("recent", "bytes") if question.wish.prefer == "smallest" else ()
    yield from ((name, facet) for facet in ("preferred", *weighed, "version", "variant") for name in brought)
    yield PYTHON, "python"


def _better(question: Question, current: Choice, facet: str, limits: list[Ask]) -> Iterator[Hashable]:
    """Values of a facet that rank before the current one and are not ruled out by themselves."""
    choices = _within(question, current.key, limits)
    seen = set()
    order = _ORDERS.get(facet)
    for choice in choices if order is None else sorted(choices, key=lambda item: order(item.facets[facet])):
        value = choice.facets[facet]
        if value == current.facets[facet]:
            return
        if value not in seen and question.admitted(choice, ALL):
            seen.add(value)
            yield value


def _within(question: Question, key: str, limits: list[Ask]) -> Iterator[Choice]:
    mine = [limit for limit in limits if limit.key == key]
    return (choice for choice in question.choices(key) if all(limit.admits(choice) for limit in mine))


def _may_hold(question: Question, key: str, limits: list[Ask]) -> bool:
    """A quick look before the search: whether `key` agrees with each other decided key, taken alone."""
    mine = [choice for choice in _within(question, key, limits) if question.admitted(choice, ALL)]
    for other in {limit.key for limit in limits} & set(question.wanted) - {key}:
        theirs = (choice for choice in _within(question, other, limits) if question.admitted(choice, ALL))
        if not any(_agree(question, one, two) for two in theirs for one in mine):
            return False
    return True


def _agree(question: Question, one: Choice, other: Choice) -> bool:
    """Whether two choices ask nothing of each other, or of a third key, that cannot be."""
    for first, second in ((one, other), (other, one)):
        if not all(ask.admits(second) for ask in question.asks(first) if ask.key == second.key):
            return False
    asked = {(ask.key, ask.facet): ask.values for ask in question.asks(one)}
    for ask in question.asks(other):
        values = asked.get((ask.key, ask.facet))
        if values is not None and values.isdisjoint(ask.values):
            return False
    return True
