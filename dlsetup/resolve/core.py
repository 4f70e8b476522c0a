"""The smallest set of wishes, facts and rules that cannot hold together."""

from __future__ import annotations

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
from dlsetup.resolve.search import settle

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

    Found by deletion. It starts from the clauses that the failed search has met, which are enough for
    it to fail again; each is taken away on trial, and for good if the others still conflict.
    """
    core = frozenset(question.clauses())
    for clause in sorted(core, key=_order):
        if settle(question, Force(only=core - {clause})) is None:
            core -= {clause}
    return core


def _order(clause: str) -> tuple[int, str]:
    bare = clause.partition(" @")[0]
    kind = bare if bare in _LESS_TELLING else clause.partition(" ")[0]
    return _LESS_TELLING.index(kind) if kind in _LESS_TELLING else len(_LESS_TELLING), clause
