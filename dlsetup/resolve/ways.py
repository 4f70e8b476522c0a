"""Ways out of a conflict, the cheapest first, each found by solving the question it leads to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.model.framework import Catalog
from dlsetup.model.record import UNKNOWN
from dlsetup.model.resolution import Plan, WayOut
from dlsetup.model.target import Target
from dlsetup.model.wish import Wish
from dlsetup.resolve.apart import partition
from dlsetup.resolve.choose import best
from dlsetup.resolve.compose import plan_of
from dlsetup.resolve.elsewhere import Change, drivers, fewer_gpus, newer_libc, under_wsl
from dlsetup.resolve.pieces import Force
from dlsetup.resolve.question import Question
from dlsetup.resolve.refusals import GPU_RULE, RELEASE_RULE
from dlsetup.resolve.search import settle
from dlsetup.resolve.shapes import asked, reshaped
from dlsetup.resolve.words import command_of

replace = msgspec.structs.replace


def ways_out(question: Question, core: frozenset[str]) -> Iterator[WayOut]:
    """Changes that lead to a plan. Only what touches the core can help, so nothing else is tried."""
    wish, target, catalog = question.wish, question.target, question.catalog
    yield from _versions(wish, target, catalog, core)
    for text, freed in reshaped(wish, core):
        yield from _changed(text, freed, target, catalog)
    yield from _pythons(wish, target, catalog, core)
    if RELEASE_RULE in core:
        yield from _prereleases(wish, target, catalog)
    if "wish cuda" in core:
        yield from _changed("take another CUDA", replace(wish, cuda=None), target, catalog)
    yield from _apart(question, core)
    if GPU_RULE in core or "wish accelerator" in core:
        yield from _cpu(wish, target, catalog)
    yield from _elsewhere(question, core)


def plan_for(wish: Wish, target: Target, catalog: Catalog) -> Plan | None:
    """The best plan for a wish, if there is one."""
    question = Question(wish, target, catalog)
    settled = best(question)
    return plan_of(question, settled) if settled is not None else None


def _versions(wish: Wish, target: Target, catalog: Catalog, core: frozenset[str]) -> Iterator[WayOut]:
    """Another version of one framework; of several only if one is not enough."""
    bound = [item for item in wish.wanted if f"bound {item.framework}" in core]
    found = False
    for item in reversed(bound):
        plan = plan_for(_freed(wish, {item.framework}), target, catalog)
        if plan is not None:
            found = True
            yield _other_versions(wish, plan, {item.framework})
    names = {item.framework for item in wish.wanted if str(item.specifier)}
    if bound and not found and len(names) > 1:
        plan = plan_for(_freed(wish, names), target, catalog)
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


def _pythons(wish: Wish, target: Target, catalog: Catalog, core: frozenset[str]) -> Iterator[WayOut]:
    if not core & {"wish python", "fact pythons"}:
        return
    freed = replace(wish, python=SpecifierSet())
    for where in (target, replace(target, pythons=UNKNOWN)):
        plan = plan_for(freed, where, catalog)
        if plan is not None:
            asked = replace(wish, python=SpecifierSet(f"=={plan.python}.*"))
            fetched = "" if plan.interpreter else ", which uv fetches if it is missing"
            yield WayOut(
                text=f"take Python {plan.python}{fetched}",
                command=command_of(asked, plan.target),
                plans=(plan,),
            )
            return


def _prereleases(wish: Wish, target: Target, catalog: Catalog) -> Iterator[WayOut]:
    """Releases that are not finished, where the wish has no finished one."""
    wanted = tuple(
        replace(item, specifier=SpecifierSet(str(item.specifier), prereleases=True)) for item in wish.wanted
    )
    plan = plan_for(replace(wish, wanted=wanted), target, catalog)
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
    groups = partition(question, lambda wish: plan_for(wish, question.target, question.catalog))
    if groups:
        commands = [command_of(wish, question.target) for wish, _ in groups]
        listed = "; ".join(" ".join(item.framework for item in wish.wanted) for wish, _ in groups)
        yield WayOut(
            text=f"use {len(groups)} environments: {listed}",
            command=" && ".join(commands),
            plans=tuple(plan for _, plan in groups),
        )


def _cpu(wish: Wish, target: Target, catalog: Catalog) -> Iterator[WayOut]:
    """Some frameworks on the CPU, or all of them."""
    some = replace(wish, allow_cpu=True)
    for way in _changed("", some, target, catalog):
        plain = [pick.framework for pick in way.plans[0].picks if pick.variant == "cpu"]
        if len(plain) < len(way.plans[0].picks):
            yield replace(way, text=f"let {' and '.join(plain)} run on the CPU")
    everything = replace(wish, accelerator="cpu", cuda=None, allow_cpu=False)
    yield from _changed("run on the CPU", everything, target, catalog)


def _elsewhere(question: Question, core: frozenset[str]) -> Iterator[WayOut]:
    """The same wish on a machine that is a little different."""
    wish, target, catalog = question.wish, question.target, question.catalog

    def solved(changes: Iterable[Change]) -> list[WayOut]:
        return [way for text, changed in changes for way in _changed(text, wish, changed, catalog, told=True)]

    if any(clause.startswith("gpu ") for clause in core):
        yield from next(filter(None, map(solved, fewer_gpus(target, catalog.hardware))), [])
    if "fact driver" in core and _would_help(question, "fact driver"):
        yield from _newest(solved(drivers(target, catalog.hardware)))
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


def _changed(
    text: str, wish: Wish, target: Target, catalog: Catalog, *, told: bool = False
) -> Iterator[WayOut]:
    plan = plan_for(wish, target, catalog)
    if plan is not None:
        yield WayOut(text=text, command=command_of(wish, target, told=told), plans=(plan,))
