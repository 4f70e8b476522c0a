"""Frameworks that do not go together, in as few environments as will do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import msgspec

from dlsetup.model.resolution import Plan
from dlsetup.model.wish import Wish
from dlsetup.resolve.pieces import Force
from dlsetup.resolve.question import Question
from dlsetup.resolve.search import clash

Group = tuple[str, ...]
Groups = list[tuple[Wish, Plan]]
FEW = 5
"""Of more units than these one at a time is set apart, or each goes where it still fits."""


def partition(question: Question, solve: Callable[[Wish], Plan | None]) -> Groups:
    """Wishes with their plans that cover the whole wish between them; empty if there is no such way."""
    solved: dict[Group, Plan | None] = {}
    units = _units(question)
    for groups in _partitions(question, units):
        found: Groups = []
        for group in groups:
            names = tuple(name for unit in group for name in unit)
            wish = _only(question.wish, names)
            if names not in solved:
                solved[names] = solve(wish)
            plan = solved[names]
            if plan is None:
                break
            found.append((wish, plan))
        if len(found) == len(groups):
            return found
    return []


def _only(wish: Wish, names: Group) -> Wish:
    kept = tuple(item for item in wish.wanted if item.framework in names)
    return msgspec.structs.replace(wish, wanted=kept, packages=(), constraints=(), origin=())


def _units(question: Question) -> list[Group]:
    """Frameworks that belong into one environment: those of one family."""
    units: dict[str, list[str]] = {}
    for name in question.wanted:
        units.setdefault(question.frameworks[name].family or name, []).append(name)
    return [tuple(names) for names in units.values()]


def _partitions(question: Question, units: list[Group]) -> Iterator[list[list[Group]]]:
    """Two environments, the first as full as possible; more of them; at last each unit on its own."""
    sizes = range(len(units) - 1, 0, -1) if len(units) <= FEW else [len(units) - 1]
    doubtful: list[list[list[Group]]] = []
    for size in sizes:
        for first in combinations(units, size):
            rest = [unit for unit in units if unit not in first]
            groups = [list(first), rest] if units[0] in first else [rest, list(first)]
            if all(_may_fit(question, group) for group in groups):
                yield groups
            else:
                doubtful.append(groups)
    yield from doubtful if len(units) <= FEW else ()
    if len(units) > FEW:
        yield _filled(question, units)
    if len(units) > 2:
        yield [[unit] for unit in units]


def _filled(question: Question, units: list[Group]) -> list[list[Group]]:
    """Each unit in the first environment in which it still fits."""
    groups: list[list[Group]] = []
    for unit in units:
        place = next((group for group in groups if _may_fit(question, [*group, unit])), None)
        if place is None:
            groups.append([unit])
        else:
            place.append(unit)
    return groups


def _may_fit(question: Question, units: list[Group]) -> bool:
    """What the question at hand says of a part of it; asked anew, the part may be told something else."""
    if len(units) == 1:
        return True
    names = {name for unit in units for name in unit}
    others = frozenset(clause for clause, name in question.wishes().items() if name not in names)
    return clash(question, Force(without=others)) is None
