"""From a question to a plan or a conflict."""

from __future__ import annotations

from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Catalog
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.model.target import Target
from dlsetup.model.wish import Wish
from dlsetup.resolve.choose import best
from dlsetup.resolve.compose import plan_of
from dlsetup.resolve.core import smallest_core
from dlsetup.resolve.explain import clauses_of
from dlsetup.resolve.question import Question
from dlsetup.resolve.ways import ways_out


def answer(wish: Wish, target: Target, catalog: Catalog) -> Plan | Conflict:
    """The best plan, or the conflict with its ways out. Raises `UsageError` for an unknown framework."""
    _check(wish, catalog)
    question = Question(wish, target, catalog)
    settled = best(question)
    if settled is not None:
        return plan_of(question, settled)
    core = smallest_core(question)
    return Conflict(target=target, core=clauses_of(question, core), ways_out=tuple(ways_out(question, core)))


def _check(wish: Wish, catalog: Catalog) -> None:
    if not wish.wanted:
        raise UsageError("no framework is asked for", hint="name at least one: `dlsetup resolve torch`")
    for item in wish.wanted:
        if catalog.framework(item.framework) is None:
            known = ", ".join(sorted(framework.name for framework in catalog.frameworks))
            raise UsageError(f"the catalog has no framework `{item.framework}`", hint=f"It has {known}.")
