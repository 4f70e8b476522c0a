"""One lock for several targets, or the smallest reason why there is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Catalog
from dlsetup.model.record import Unknown
from dlsetup.model.resolution import Conflict, Pick, Plan, Together
from dlsetup.model.target import Target
from dlsetup.model.wish import Wish
from dlsetup.resolve.across import Across
from dlsetup.resolve.answer import checked
from dlsetup.resolve.choose import best
from dlsetup.resolve.compose import plan_of
from dlsetup.resolve.core import smallest_core
from dlsetup.resolve.pieces import PYTHON, Ask, BuildChoice
from dlsetup.resolve.question import Question
from dlsetup.resolve.reasons import endings, next_newer, of_variant, picked, why_not
from dlsetup.resolve.search import Settled, settle
from dlsetup.resolve.shared import Member, Shared, clause_of
from dlsetup.rules.kernels import driver_drives_every_gpu
from dlsetup.rules.wheels import platform_of

NO_DRIVER = "the release of the NVIDIA driver is not known"


class Joint(NamedTuple):
    """Several targets as one question. Those of one system and processor share a part."""

    question: Question
    parts: tuple[Shared, ...]

    def members(self) -> Iterator[tuple[int, Member]]:
        """Each target with the number of its part, in the order in which they were named."""
        found = ((place, member) for place, part in enumerate(self.parts) for member in part.members)
        yield from sorted(found, key=lambda pair: pair[1].number)

    def settled(self, settled: Settled, place: int) -> Settled:
        """What was settled for one part."""
        return self.question.part_of(settled, place) if isinstance(self.question, Across) else settled


def joint(wish: Wish | Sequence[Wish], targets: Sequence[Target], catalog: Catalog) -> Joint:
    """The question whether one lock serves all of the targets. Several wishes: one for each of them.

    Raises `UsageError` where two targets of one platform wish for different things.
    """
    wishes = [wish] * len(targets) if isinstance(wish, Wish) else wish
    groups: dict[tuple[str | Unknown, str | Unknown], list[tuple[int, Target]]] = {}
    for number, target in enumerate(targets, start=1):
        groups.setdefault((target.os, target.arch), []).append((number, target))
    for (first, target), *others in groups.values():
        for number, other in others:
            if wishes[number - 1] != wishes[first - 1]:
                raise _differing(target, other)
    parts = tuple(Shared(wishes[group[0][0] - 1], group, catalog) for group in groups.values())
    return Joint(Across(parts) if len(parts) > 1 else parts[0], parts)


def _differing(one: Target, other: Target) -> UsageError:
    return UsageError(
        f"the files ask for something else on {other.name} than on {one.name}",
        hint="ask for each target by itself",
    )


def resolve_together(wish: Wish, targets: Sequence[Target], catalog: Catalog) -> Together | Conflict:
    """Plans that one lock can hold, one for each target; or the smallest reason why there are none.

    Raises `UsageError` like `resolve`.
    """
    from dlsetup.resolve.apart_targets import ways_together
    from dlsetup.resolve.together_words import clauses_together, named_together

    wish = checked(wish, catalog)
    asked = joint(wish, targets, catalog)
    settled = best(asked.question)
    if settled is not None:
        return _plans(asked, settled)
    core = _core(asked)
    return Conflict(
        target=Target(name=named_together(targets)),
        core=clauses_together(asked, core),
        remarks=tuple(endings(asked.parts[0])),
        ways_out=tuple(ways_together(wish, targets, catalog, core)),
    )


def resolve_each(wishes: Sequence[Wish], targets: Sequence[Target], catalog: Catalog) -> Together:
    """Plans that one lock can hold, where files ask each platform for something of its own.

    Raises `UsageError` where there are none: which of the wishes stands in the way, each by itself tells.
    """
    asked = joint([checked(wish, catalog) for wish in wishes], targets, catalog)
    settled = best(asked.question)
    if settled is None:
        names = _listed([target.name for target in targets])
        raise UsageError(
            f"the files ask for something else on each platform, and nothing serves {names} together",
            hint="ask for each target by itself, which tells the reasons",
        )
    return _plans(asked, settled)


def _core(asked: Joint) -> frozenset[str]:
    """The smallest core; where one target cannot be served at all, that of this target."""
    for _, member in asked.members():
        if settle(member.question) is None:
            return frozenset(clause_of(item, member.number) for item in smallest_core(member.question))
    return smallest_core(asked.question)


def fitting_together(wish: Wish, targets: Sequence[Target], catalog: Catalog) -> Together | None:
    """The plans alone, for those who do not ask why something does not fit."""
    asked = joint(checked(wish, catalog), targets, catalog)
    settled = best(asked.question)
    return None if settled is None else _plans(asked, settled)


def _plans(asked: Joint, settled: Settled) -> Together:
    own = {member.number: _own(member, asked.settled(settled, place)) for place, member in asked.members()}
    plans = tuple(_plan(asked, member, own) for _, member in asked.members())
    return Together(plans=plans, because=tuple(_reasons(asked)))


def _own(member: Member, settled: Settled) -> Settled:
    """What was settled, with the Python as this target has it."""
    name = settled[PYTHON].facets
    python = next((item for item in member.question.choices(PYTHON) if item.facets == name), settled[PYTHON])
    return {**settled, PYTHON: python}


def _plan(asked: Joint, member: Member, own: dict[int, Settled]) -> Plan:
    question, settled = member.question, own[member.number]
    plan = plan_of(question, settled)
    choices = {choice.key: choice for choice in picked(question, settled)}
    picks = tuple(_reasoned(pick, choices[pick.framework], asked, own) for pick in plan.picks)
    if _lacks_device(member):
        plan = replace(plan, unknown=tuple(text for text in plan.unknown if not _of_device(text, question)))
    return replace(plan, picks=picks)


def _lacks_device(member: Member) -> bool:
    """Whether a target is known to have no device for what is installed there."""
    target = member.question.target
    return member.carried and (target.driver is None or not isinstance(target.gpus, Unknown))


def _of_device(text: str, question: Question) -> bool:
    """Whether a thing that is not known concerns the device, which a target without one need not have."""
    undriven = driver_drives_every_gpu(question.known, question.catalog.hardware).because
    return text in (NO_DRIVER, undriven, question.devices.unknown) or text.startswith("the GPUs of ")


def _reasoned(pick: Pick, choice: BuildChoice, asked: Joint, own: dict[int, Settled]) -> Pick:
    """The reason of a pick names the target that holds a newer release back."""
    part = next(part for part in asked.parts if choice.build.framework in part.frameworks)
    newer = next_newer(part, choice.build)
    if newer is None:
        return pick
    limit = Ask(choice.key, "version", frozenset({newer}))
    for _, member in asked.members():
        question, settled = member.question, own[member.number]
        if choice.key in settled and settle(question, limits=[limit]) is None:
            theirs = next(item for item in picked(question, settled) if item.key == choice.key)
            why = f"on {question.target.name}: {why_not(question, settled, theirs, newer)}"
            break
    else:
        why = "no one lock with it serves all targets"
    variant = of_variant(choice.build, _judging(asked, choice, own))
    text = f"newest release that fits all targets{variant}; {choice.key} {newer}: {why}"
    return replace(pick, because=text)


def _judging(asked: Joint, choice: BuildChoice, own: dict[int, Settled]) -> Question:
    """The question of the first target that takes this build and judges it by its own device."""
    found = [
        member.question
        for _, member in asked.members()
        if (taken := own[member.number].get(choice.key)) is not None
        and isinstance(taken, BuildChoice)
        and taken.build == choice.build
    ]
    driven = (item for item in found if not isinstance(item.known.driver, Unknown) and item.known.driver)
    return next(driven, found[0])


def _reasons(asked: Joint) -> Iterator[str]:
    for part in asked.parts:
        names = [member.question.target.name for member in part.members]
        if len(names) > 1:
            platform = platform_of(replace(part.target, libc=None, release=Target().release))
            yield f"one build of each framework for {_listed(names)}: one lock holds one for {platform}"
        for member in part.members:
            if _lacks_device(member):
                name, kind = member.question.target.name, part.devices.accelerator
                yield f"{name} has no device for {kind}: there it runs on the CPU, if at all"
    if len(asked.parts) > 1:
        yield "one Python and the same releases on all platforms; each platform has builds of its own"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + " and " * (len(names) > 1) + names[-1]
