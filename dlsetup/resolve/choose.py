"""The best way to settle a question: one decision after another, each kept open as long as it can be."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from dlsetup.resolve.pieces import ALL, PYTHON, Ask, Choice
from dlsetup.resolve.question import Question
from dlsetup.resolve.search import Settled, settle


def best(question: Question) -> Settled | None:
    """The best of all ways, or None if there is none.

    In this order: a GPU for each framework, the newest release of each, its best variant, then Python.
    Each decision takes the best value for which the search still finds a way for all the rest, so the
    answer does not depend on the order of rows or on how the search proceeds.
    """
    settled = settle(question)
    if settled is None:
        return None
    limits: list[Ask] = []
    for key, facet in _decisions(question):
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
    for names in (list(question.wanted), brought):
        for facet in ("preferred", "version", "variant"):
            yield from ((name, facet) for name in names)
    yield PYTHON, "python"


def _better(question: Question, current: Choice, facet: str, limits: list[Ask]) -> Iterator[Hashable]:
    """Values of a facet that rank before the current one and are not ruled out by themselves."""
    choices = _within(question, current.key, limits)
    seen = set()
    for choice in (
        sorted(choices, key=lambda item: not item.facets[facet]) if facet == "preferred" else choices
    ):
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
