"""From a question to a plan or a conflict."""

from __future__ import annotations

import msgspec

from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Catalog
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.model.target import Target
from dlsetup.model.wish import Wanted, Wish
from dlsetup.resolve.choose import best
from dlsetup.resolve.compose import plan_of
from dlsetup.resolve.question import Question
from dlsetup.resolve.search import Settled


def resolve(wish: Wish, target: Target, catalog: Catalog, *, explain: bool = False) -> Plan | Conflict:
    """The best set of builds that work together on the target, or the smallest reason why there is none.

    `explain`: every newer release that a pick passes over is told with its reason, which takes longer.
    Raises `UsageError` for a wish that names no framework, or one that the catalog does not have.
    """
    question = Question(checked(wish, catalog), target, catalog)
    settled = best(question)
    if settled is not None:
        plan = plan_of(question, settled)
        return _explained(plan, question, settled) if explain else plan
    return _conflict(question)


def _explained(plan: Plan, question: Question, settled: Settled) -> Plan:
    from dlsetup.resolve.passed_over import passed_over
    from dlsetup.resolve.reasons import picked

    told = {choice.key: passed_over(question, settled, choice) for choice in picked(question, settled)}
    picks = (msgspec.structs.replace(pick, passed_over=told[pick.framework]) for pick in plan.picks)
    return msgspec.structs.replace(plan, picks=tuple(picks))


def _conflict(question: Question) -> Conflict:
    """Why there is no plan; what finds that out is loaded only for it."""
    from dlsetup.resolve.core import smallest_core
    from dlsetup.resolve.explain import clauses_of
    from dlsetup.resolve.reasons import endings
    from dlsetup.resolve.ways import ways_out

    core = smallest_core(question)
    return Conflict(
        target=question.target,
        core=clauses_of(question, core),
        remarks=tuple(endings(question)),
        ways_out=tuple(ways_out(question, core)),
    )


def fitting_plan(wish: Wish, target: Target, catalog: Catalog, beside: Question | None = None) -> Plan | None:
    """The plan alone, for those who try much and do not ask why something does not fit.

    `beside`: a question of the same catalog that has found out much already.
    """
    question = Question(checked(wish, catalog), target, catalog, beside)
    settled = best(question)
    return None if settled is None else plan_of(question, settled)


def checked(wish: Wish, catalog: Catalog) -> Wish:
    """The wish with each framework once: what is said of one twice must hold together."""
    if not wish.wanted:
        raise UsageError("no framework is asked for", hint="name at least one: `dlsetup resolve torch`")
    merged: dict[str, Wanted] = {}
    for item in wish.wanted:
        if catalog.framework(item.framework) is None:
            known = ", ".join(sorted(framework.name for framework in catalog.frameworks))
            raise UsageError(f"the catalog has no framework `{item.framework}`", hint=f"It has {known}.")
        before = merged.get(item.framework)
        if before is not None:
            from dlsetup.resolve.shapes import both

            item = both(before, item)
        merged[item.framework] = item
    return msgspec.structs.replace(wish, wanted=tuple(merged.values()))
