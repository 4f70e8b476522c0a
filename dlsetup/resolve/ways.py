"""Ways out of a conflict, the cheapest first, each found by solving the question it leads to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.model.record import UNKNOWN
from dlsetup.model.resolution import Plan, WayOut
from dlsetup.model.target import Target
from dlsetup.model.wish import Wish
from dlsetup.resolve.answer import fitting_plan
from dlsetup.resolve.apart import partition
from dlsetup.resolve.elsewhere import Change, drivers, fewer_gpus, newer_libc, under_wsl
from dlsetup.resolve.pieces import Force
from dlsetup.resolve.question import Question
from dlsetup.resolve.refusals import GPU_RULE, RELEASE_RULE, WHEEL_RULE
from dlsetup.resolve.search import settle
from dlsetup.resolve.shapes import asked, reshaped
from dlsetup.resolve.words import command_of

replace = msgspec.structs.replace
OLDEST = SpecifierSet(">=3.8")
"""Every Python that uv has."""


def ways_out(question: Question, core: frozenset[str]) -> Iterator[WayOut]:
    """Changes that lead to a plan. Only what touches the core can help, so nothing else is tried."""
    yield from _versions(question, core)
    for text, freed in reshaped(question.wish, core):
        yield from _changed(question, text, freed)
    yield from _pythons(question, core)
    if RELEASE_RULE in core:
        yield from _prereleases(question)
    if "wish cuda" in core:
        yield from _changed(question, "take another CUDA", replace(question.wish, cuda=None))
    yield from _apart(question, core)
    if GPU_RULE in core or "wish accelerator" in core:
        yield from _cpu(question)
    yield from _elsewhere(question, core)


def _plan_for(question: Question, wish: Wish, target: Target | None = None) -> Plan | None:
    """The best plan for another wish, or on another target, with what the question has found out so far."""
    return fitting_plan(wish, target or question.target, question.catalog, beside=question)


def _versions(question: Question, core: frozenset[str]) -> Iterator[WayOut]:
    """Another version of one framework; of several only if one is not enough."""
    wish = question.wish
    bound = [item for item in wish.wanted if f"bound {item.framework}" in core]
    found = False
    for item in reversed(bound):
        plan = _plan_for(question, _freed(wish, {item.framework}))
        if plan is not None:
            found = True
            yield _other_versions(wish, plan, {item.framework})
    names = {item.framework for item in wish.wanted if str(item.specifier)}
    if bound and not found and len(names) > 1:
        plan = _plan_for(question, _freed(wish, names))
        if plan is not None:
            yield _other_versions(wish, plan, names)


def _freed(wish: Wish, names: set[str]) -> Wish:
    """The wish without bounds on these frameworks."""
    wanted = tuple(
        asked(replace(item, specifier=SpecifierSet())) if item.framework in names else item
        for item in wish.wanted
    )
    return replace(wish, wanted=wanted)


def _other_versions(wish: Wish, plan: Plan, names: set[str]) -> WayOut:
    versions = {pick.framework: pick.version for pick in plan.picks}
    wanted = tuple(
        asked(replace(item, specifier=SpecifierSet(f"=={versions[item.framework]}")))
        if item.framework in names
        else item
        for item in wish.wanted
    )
    chosen = " and ".join(f"{name} {versions[name]}" for name in sorted(names))
    return WayOut(
        text=f"take {chosen}", command=command_of(replace(wish, wanted=wanted), plan.target), plans=(plan,)
    )


def _pythons(question: Question, core: frozenset[str]) -> Iterator[WayOut]:
    """Another of the usual Pythons, or else one that is only taken where somebody asks for it."""
    wish, target = question.wish, question.target
    anywhere = replace(target, pythons=UNKNOWN)
    tried: list[tuple[SpecifierSet, Target]] = []
    if core & {"wish python", "fact pythons"}:
        tried += [(SpecifierSet(), target), (SpecifierSet(), anywhere)]
    if WHEEL_RULE in core:
        tried.append((OLDEST, anywhere))
    for pythons, where in tried:
        plan = _plan_for(question, replace(wish, python=pythons), where)
        if plan is not None:
            asked = replace(wish, python=SpecifierSet(f"=={plan.python}.*"))
            fetched = "" if plan.interpreter else ", which uv fetches if it is missing"
            yield WayOut(
                text=f"take Python {plan.python}{fetched}",
                command=command_of(asked, plan.target),
                plans=(plan,),
            )
            return


def _prereleases(question: Question) -> Iterator[WayOut]:
    """Releases that are not finished, where the wish has no finished one."""
    wish = question.wish
    wanted = tuple(
        replace(item, specifier=SpecifierSet(str(item.specifier), prereleases=True)) for item in wish.wanted
    )
    plan = _plan_for(question, replace(wish, wanted=wanted))
    if plan is None:
        return
    asked = {item.framework for item in wish.wanted}
    names = {pick.framework for pick in plan.picks if pick.version.is_prerelease and pick.framework in asked}
    if names:
        way = _other_versions(wish, plan, names)
        yield replace(way, text=f"{way.text}, which is not finished")


def _apart(question: Question, core: frozenset[str]) -> Iterator[WayOut]:
    """Separate environments, as few as will do."""
    names = [name for name in question.wanted if core & {f"wish {name}", f"bound {name}"}]
    if len(names) < 2:
        return
    groups = partition(question, lambda wish: _plan_for(question, wish))
    if groups:
        commands = [command_of(wish, question.target) for wish, _ in groups]
        listed = "; ".join(" ".join(item.framework for item in wish.wanted) for wish, _ in groups)
        yield WayOut(
            text=f"use {len(groups)} environments: {listed}",
            command=" && ".join(commands),
            plans=tuple(plan for _, plan in groups),
        )


def _cpu(question: Question) -> Iterator[WayOut]:
    """Some frameworks on the CPU, or all of them."""
    some = replace(question.wish, allow_cpu=True)
    for way in _changed(question, "", some):
        plain = [pick.framework for pick in way.plans[0].picks if pick.variant == "cpu"]
        if len(plain) < len(way.plans[0].picks):
            yield replace(way, text=f"let {' and '.join(plain)} run on the CPU")
    everything = replace(question.wish, accelerator="cpu", cuda=None, allow_cpu=False)
    yield from _changed(question, "run on the CPU", everything)


def _elsewhere(question: Question, core: frozenset[str]) -> Iterator[WayOut]:
    """The same wish on a machine that is a little different."""
    target, hardware = question.target, question.catalog.hardware

    def solved(changes: Iterable[Change]) -> list[WayOut]:
        return [way for text, other in changes for way in _changed(question, text, question.wish, other)]

    if any(clause.startswith("gpu ") for clause in core):
        yield from next(filter(None, map(solved, fewer_gpus(target, hardware))), [])
    if "fact driver" in core and _would_help(question, "fact driver"):
        yield from _newest(solved(drivers(target, hardware)))
    if "fact libc" in core and _would_help(question, "fact libc"):
        yield from _newest(solved(newer_libc(question)))
    if "fact platform" in core:
        yield from solved(under_wsl(target))


def _would_help(question: Question, fact: str) -> bool:
    """Whether there is a way if nothing rests on a fact: if not, none of its other values leads to one."""
    return settle(question, Force(without=frozenset({fact}))) is not None


def _newest(ways: list[WayOut]) -> list[WayOut]:
    """The first way that leads to the newest releases."""
    return sorted(ways, key=_versions_of, reverse=True)[:1]


def _versions_of(way: WayOut) -> list[Version]:
    return [pick.version for plan in way.plans for pick in plan.picks]


def _changed(question: Question, text: str, wish: Wish, target: Target | None = None) -> Iterator[WayOut]:
    """The way out by another wish, or on another target, which the command then tells."""
    plan = _plan_for(question, wish, target)
    if plan is not None:
        command = command_of(wish, target or question.target, told=target is not None)
        yield WayOut(text=text, command=command, plans=(plan,))
