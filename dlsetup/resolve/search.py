"""The search: every key settled, or the proof that it cannot be done.

A SAT solver carries it (`formula`): exact, and what it learns from one question it keeps for the next.
"""

from __future__ import annotations

from collections.abc import Iterable

from dlsetup.resolve.companions import FILES_RULE, PINS_RULE
from dlsetup.resolve.formula import Formula
from dlsetup.resolve.pieces import ALL, Ask, Choice, Force
from dlsetup.resolve.question import FAMILY_RULE, VARIANT_RULE, Question
from dlsetup.resolve.refusals import LIBRARY_RULE

JOINT_RULES = frozenset({FAMILY_RULE, VARIANT_RULE, PINS_RULE, FILES_RULE, LIBRARY_RULE})
"""What builds forbid each other. Reasons let these go more often than others, which thin out a formula."""
Settled = dict[str, Choice]


def settle(question: Question, force: Force = ALL, limits: Iterable[Ask] = ()) -> Settled | None:
    """One choice for every key that has to be settled, or None if there is no way.

    `force` says which clauses hold; `limits` narrow keys further without asking for them to be settled.
    Whether there is a way is exact; the way found need not be the best (`choose` is).
    """
    formula = formula_of(question, force)
    return settled_by(formula, force) if formula.solve(force, limits) else None


def clash(question: Question, force: Force) -> frozenset[str] | None:
    """Clauses in force that cannot hold together, not always the fewest; None if there is a way.

    Where nothing is said of `only`, clauses that nobody lets go are left out.
    """
    formula = formula_of(question, force)
    return None if formula.solve(force) else formula.core()


def formula_of(question: Question, force: Force) -> Formula:
    """A formula that can say what `force` says, made at most once."""
    wishes = frozenset(question.wishes())
    trial: frozenset[str] | None = None
    if force.only is None:
        trial = JOINT_RULES | wishes | force.without
    else:
        wishes &= force.only
    for formula in question.formulas:
        enough = formula.trial is None or (trial is not None and trial <= formula.trial)
        if enough and (wishes <= formula.wishes if trial is None else wishes == formula.wishes):
            return formula
    question.formulas.append(Formula(question, wishes, trial))
    return question.formulas[-1]


def settled_by(formula: Formula, force: Force = ALL) -> Settled:
    """What the wish leads to in the model that was found last, without what nothing there asks for."""
    model, question = formula.model(), formula.question
    settled: Settled = {}
    waiting = [ask for ask in question.roots() if ask.clauses <= formula.wishes]
    while waiting:
        ask = waiting.pop()
        if ask.key not in settled and force.holds(ask.clauses):
            settled[ask.key] = formula.taken(ask.key, model)
            waiting += question.asks(settled[ask.key])
    return settled
