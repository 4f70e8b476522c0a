"""The smallest set of wishes, facts and rules that cannot hold together."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, combinations

from dlsetup.resolve.companions import FILES_RULE, PINS_RULE
from dlsetup.resolve.pieces import Force
from dlsetup.resolve.question import FAMILY_RULE, VARIANT_RULE, Question
from dlsetup.resolve.refusals import (
    DRIVER_RULE,
    GPU_RULE,
    KERNELS_RULE,
    LIBRARY_RULE,
    RELEASE_RULE,
    WHEEL_RULE,
)
from dlsetup.resolve.search import clash, formula_of

_LESS_TELLING = (
    "wish",
    RELEASE_RULE,
    LIBRARY_RULE,
    VARIANT_RULE,
    PINS_RULE,
    FILES_RULE,
    FAMILY_RULE,
    DRIVER_RULE,
    "fact driver",
    KERNELS_RULE,
    "gpu",
    "fact libc",
    "fact pythons",
    WHEEL_RULE,
    "fact platform",
    "fact gpus",
    GPU_RULE,
    "wish python",
    "wish cuda",
    "wish accelerator",
    "bound",
)
"""Where either of two clauses explains a conflict, the one that stands earlier here is left out.

Frameworks come first: a conflict of two is told without the third, and the rest is found faster.
"""


def smallest_core(question: Question) -> frozenset[str]:
    """Clauses that cannot hold together, of which each one is needed: without it there is a way.

    The frameworks are found first, few rather than many. The rest is found by deletion: each clause is taken
    away on trial, and for good if the others still conflict, which the solver need not be asked
    about a clause that it did not need the last time.
    """
    formula = formula_of(question, Force(only=_quarrelling(question)))
    core = needed = frozenset(formula.selectors)
    for clause in sorted(core, key=_order):
        if clause in needed:
            if formula.solve(Force(only=core - {clause})):
                continue
            needed = formula.core()
        core -= {clause}
    return core


def _quarrelling(question: Question) -> frozenset[str]:
    """Wishes for frameworks that cannot be had together, of which each one is needed for that.

    One alone, then two, those that are bound first; more of them by adding one after another.
    """
    names = question.wishes()
    wishes = sorted(names, key=lambda clause: not str(question.wanted[names[clause]].specifier))

    def fail(asked: Iterable[str]) -> bool:
        return clash(question, Force(without=frozenset(wishes).difference(asked))) is not None

    few = chain.from_iterable(combinations(wishes, size) for size in range(3))
    needed = list(next(filter(fail, few), ()))
    candidates = wishes
    while not fail(needed):
        sizes = range(1, len(candidates) + 1)
        size = next(size for size in sizes if fail([*needed, *candidates[:size]]))
        needed.append(candidates[size - 1])
        candidates = candidates[: size - 1]
    return frozenset(needed)


def _order(clause: str) -> tuple[int, str]:
    bare = clause.partition(" @")[0]
    kind = bare if bare in _LESS_TELLING else clause.partition(" ")[0]
    return _LESS_TELLING.index(kind) if kind in _LESS_TELLING else len(_LESS_TELLING), clause
