"""The best way to settle a question: one decision after another, each kept open as long as it can be."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from dlsetup.resolve.pieces import ALL, PYTHON, Ask, Choice, Force
from dlsetup.resolve.question import Question
from dlsetup.resolve.search import Settled, settle


def best(question: Question, force: Force = ALL) -> Settled | None:
    """The best of all ways, or None if there is none.

    In this order: a GPU for each framework, the newest release of each, its best variant, then Python.
    Each decision takes the best value for which the search still finds a way for all the rest, so the
    answer does not depend on the order of rows or on how the search proceeds.
    """
    settled = settle(question, force)
    if settled is None:
        return None
    limits: list[Ask] = []
    for key, facet in _decisions(question):
        if key not in settled:
            continue
        for value in _better(question, settled[key], facet, force, limits):
            found = settle(question, force, (*limits, Ask(key, facet, frozenset({value}))))
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


def _better(
    question: Question, current: Choice, facet: str, force: Force, limits: list[Ask]
) -> Iterator[Hashable]:
    """Values of a facet that rank before the current one and are not ruled out by themselves."""
    mine = [ask for ask in limits if ask.key == current.key]
    seen = set()
    choices = question.choices(current.key)
    for choice in (
        sorted(choices, key=lambda item: not item.facets[facet]) if facet == "preferred" else choices
    ):
        value = choice.facets[facet]
        if value == current.facets[facet]:
            return
        if value in seen or not all(ask.admits(choice) for ask in mine):
            continue
        if question.admitted(choice, force):
            seen.add(value)
            yield value
