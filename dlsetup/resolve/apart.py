"""Frameworks that do not go together, in as few environments as will do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import msgspec

from dlsetup.model.resolution import Plan
from dlsetup.model.wish import Wish
from dlsetup.resolve.question import Question

Group = tuple[str, ...]
Groups = list[tuple[Wish, Plan]]
FEW = 5
"""Of more units than these one at a time is set apart, or all of them."""


def partition(question: Question, solve: Callable[[Wish], Plan | None]) -> Groups:
    """Wishes with their plans that cover the whole wish between them; empty if there is no such way."""
    solved: dict[Group, Plan | None] = {}
    units = _units(question)
    for groups in _partitions(units):
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


def _partitions(units: list[Group]) -> Iterator[list[list[Group]]]:
    """Two environments, the first as full as possible; at last each unit on its own."""
    sizes = range(len(units) - 1, 0, -1) if len(units) <= FEW else [len(units) - 1]
    for size in sizes:
        for first in combinations(units, size):
            rest = [unit for unit in units if unit not in first]
            yield [list(first), rest] if units[0] in first else [rest, list(first)]
    if len(units) > 2:
        yield [[unit] for unit in units]
