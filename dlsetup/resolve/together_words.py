"""Why no one lock serves several targets, in sentences that name them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dlsetup.model.resolution import Clause
from dlsetup.model.target import Target
from dlsetup.resolve.choose import best_while
from dlsetup.resolve.explain import clauses_of, fact_of, wish_of
from dlsetup.resolve.pieces import Force, Refusal
from dlsetup.resolve.reasons import picked
from dlsetup.resolve.search import settle
from dlsetup.resolve.shared import Member, clause_for, clause_of
from dlsetup.resolve.together import Joint
from dlsetup.rules.kernels import name_of

Core = frozenset[str]
ONE_BUILD = "one lock holds one build of each framework for one platform"
ONE_RELEASE = "one lock holds one Python and one release of each framework"


def named_together(targets: Sequence[Target]) -> str:
    """`all of the login node, the GPU node`."""
    return f"all of {', '.join(target.name for target in targets)} with one lock"


def clauses_together(asked: Joint, core: Core) -> tuple[Clause, ...]:
    """The core in words. Where one target alone cannot be served, it is the conflict of that target."""
    concerned = [(place, member) for place, member in asked.members() if _own(core, member) - _common(core)]
    for _, member in concerned or list(asked.members())[:1]:
        own = _own(core, member)
        if settle(member.question, Force(only=own)) is None:
            return clauses_of(member.question, own)
    return tuple(_several(asked, concerned, core))


def _several(asked: Joint, concerned: Sequence[tuple[int, Member]], core: Core) -> Iterator[Clause]:
    question = asked.parts[0]
    bound = {clause.removeprefix("bound ") for clause in core if clause.startswith("bound ")}
    for clause in sorted(_common(core)):
        kind, _, name = clause.partition(" ")
        if kind == "bound" or (kind == "wish" and name not in bound):
            yield Clause(kind="wish", text=wish_of(question, kind, name))
    for _, member in concerned:
        own = sorted(_own(core, member) - _common(core))
        gpus = any(clause.startswith("gpu ") for clause in own)
        for clause in own:
            if not (clause == "fact gpus" and gpus):
                yield Clause(kind="fact", text=fact_of(member.question, clause))
    for place, member in concerned:
        yield from _rule(asked, place, member, core)
    same = len({place for place, _ in concerned}) == 1
    yield Clause(kind="rule", text=ONE_BUILD if same else ONE_RELEASE)


def _rule(asked: Joint, place: int, member: Member, core: Core) -> Iterator[Clause]:
    """What this target has against the builds that the others would take."""
    facts = frozenset(clause_of(item, member.number) for item in _own(core, member) - _common(core))
    settled = best_while(asked.question, Force(only=core - facts))
    if settled is None:
        return
    own = _own(core, member)
    choices = picked(member.question, asked.settled(settled, place))
    for choice in choices:
        refusals = [item for item in member.question.refusals(choice) if item.clauses <= own]
        if refusals:
            yield _said(name_of(choice.build), refusals[0])
            return


def _said(name: str, refusal: Refusal) -> Clause:
    because = refusal.because
    text = because if name in because else f"{name} is not for it: {because}"
    return Clause(kind="rule", text=text, source=next(iter(refusal.sources), ""))


def _own(core: Core, member: Member) -> Core:
    """The clauses of the core that concern a target, in its own words."""
    return frozenset(found for clause in core if (found := clause_for(clause, member.number)) is not None)


def _common(core: Core) -> Core:
    """Wishes and rules, which hold for all targets."""
    return frozenset(clause for clause in core if clause.partition(" ")[0] not in ("fact", "gpu"))
