"""The best way to settle a question: one decision after another, each kept open as long as it can be."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any

from dlsetup.resolve.formula import Formula
from dlsetup.resolve.jointly import TOGETHER, jointly
from dlsetup.resolve.outright import outright
from dlsetup.resolve.pieces import ALL, PYTHON, Ask, Choice, Force
from dlsetup.resolve.question import Question
from dlsetup.resolve.search import Settled, formula_of, settled_by

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
    return outright(question) or best_while(question, ALL)


def best_while(question: Question, force: Force) -> Settled | None:
    """The best of all ways in which no more than the clauses in force hold."""
    formula = formula_of(question, force)
    if not formula.solve(force):
        return None
    settled = settled_by(formula, force)
    limits: list[Ask] = []
    for key, facet in _decisions(question):
        if facet == TOGETHER:
            settled = jointly(formula, settled, limits) if force == ALL else settled
            continue
        if key not in settled:
            continue
        for value in _better(formula, settled[key], facet, limits):
            if formula.solve(force, [*limits, Ask(key, facet, frozenset({value}))]):
                settled = settled_by(formula, force)
                break
        if key in settled:
            limits.append(Ask(key, facet, frozenset({settled[key].facets[facet]})))
    return settled


def _decisions(question: Question) -> Iterator[tuple[str, str]]:
    """Keys and facets in the order of their weight: first what is asked for, then what that brings along.

    What comes along may depend on Python, so it is gone through once more when that is decided.
    """
    brought = [name for name in question.frameworks if name not in question.wanted]
    smallest = question.wish.prefer == "smallest"
    yield from ((name, "preferred") for name in question.wanted)
    if smallest:
        yield from ((name, "recent") for name in question.wanted)
    yield "", TOGETHER
    yield from ((name, facet) for facet in ("version", "variant") for name in question.wanted)
    weighed = ("recent", "bytes") if smallest else ()
    along = [(name, facet) for facet in ("preferred", *weighed, "version", "variant") for name in brought]
    yield from (*along, (PYTHON, "python"), *along)


def _better(formula: Formula, current: Choice, facet: str, limits: list[Ask]) -> Iterator[Hashable]:
    """Values of a facet that rank before the current one and are not ruled out by themselves."""
    mine = [limit for limit in limits if limit.key == current.key]
    choices = (choice for option in formula.options[current.key] for choice in option.choices)
    within = (choice for choice in choices if all(limit.admits(choice) for limit in mine))
    order = _ORDERS.get(facet)
    values = (choice.facets[facet] for choice in within)
    for value in dict.fromkeys(values if order is None else sorted(values, key=order)):
        if value == current.facets[facet]:
            return
        yield value
