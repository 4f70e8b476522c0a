"""Decisions that no framework can take by itself: the fewest bytes together, the fewest changes in all."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from dlsetup.resolve.formula import Formula
from dlsetup.resolve.pieces import ALL, PYTHON, Ask, BuildChoice
from dlsetup.resolve.question import Question
from dlsetup.resolve.search import Settled, settled_by

TOGETHER = "together"
Cost = tuple[Ask, int]
"""A limit, and what it costs not to keep to it."""


def jointly(formula: Formula, settled: Settled, limits: list[Ask]) -> Settled:
    """The best way by what the wish prefers of all frameworks together; `limits` grow by what that fixes."""
    question = formula.question
    if question.wish.prefer == "smallest":
        names = question.wanted
        settled = _cheapest(formula, limits, [cost for name in names for cost in _bytes(formula, name)])
        limits += [Ask(name, "bytes", frozenset({settled[name].facets["bytes"]})) for name in names]
    if question.wish.prefer == "keep":
        for kept in (list(_kept_releases(question)), list(_kept_variants(question))):
            settled = _cheapest(formula, limits, _changes(kept))
            limits += [ask for ask in kept if ask.key not in settled or ask.admits(settled[ask.key])]
    return settled


def _cheapest(formula: Formula, limits: list[Ask], costs: list[Cost]) -> Settled:
    """The way within the limits that costs least in all, by weighted MaxSAT, which is exact."""
    true = _least(formula, limits, costs) if costs else set()
    formula.solve(ALL, [*limits, *(ask for ask, _ in costs if formula.limit(ask) in true)])
    return settled_by(formula)


def _least(formula: Formula, limits: list[Ask], costs: list[Cost]) -> set[int]:
    """The variables of one way of the least cost; there has to be one to choose."""
    from pysat.examples.rc2 import RC2Stratified
    from pysat.formula import WCNF

    problem = WCNF()
    soft = [(formula.limit(ask), cost) for ask, cost in costs]
    given = formula.assumed(ALL, limits)
    problem.extend([*formula.clauses, *([literal] for literal in given)])
    for literal, cost in soft:
        problem.append([literal], weight=cost)
    with RC2Stratified(problem, solver="m22") as solver:
        return set(solver.compute() or ())


def _bytes(formula: Formula, name: str) -> Iterator[Cost]:
    """For each weight that a framework can have: not to exceed it saves what the next one has more."""
    found: set[Any] = {item.facets["bytes"] for option in formula.options[name] for item in option.choices}
    weights = sorted(found)
    for place, (lighter, heavier) in enumerate(pairwise(weights), start=1):
        yield Ask(name, "bytes", frozenset(weights[:place])), _in_all(heavier) - _in_all(lighter)


def _in_all(weight: tuple[int, int]) -> int:
    """Wheels of which nobody knows the bytes outweigh all others together."""
    return weight[0] << 60 | weight[1]


def _changes(kept: list[Ask]) -> list[Cost]:
    """As few as can be; of as few, those of what stands last."""
    return [(ask, (2 << len(kept)) - (1 << place)) for place, ask in enumerate(kept)]


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
