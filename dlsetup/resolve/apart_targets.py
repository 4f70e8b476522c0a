"""Ways out where no one lock serves several targets, each found by solving the question it leads to."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from itertools import combinations

from msgspec.structs import replace
from packaging.specifiers import SpecifierSet

from dlsetup.intake.target import describe
from dlsetup.model.framework import Catalog
from dlsetup.model.resolution import Plan, Together, WayOut
from dlsetup.model.target import Target
from dlsetup.model.wish import Wish
from dlsetup.resolve.answer import fitting_plan
from dlsetup.resolve.elsewhere import Change, drivers, fewer_gpus, newer_libc
from dlsetup.resolve.question import Question
from dlsetup.resolve.shared import clause_for
from dlsetup.resolve.together import fitting_together
from dlsetup.resolve.words import command_of

FEW = 5
"""Of more targets than these each gets a lock of its own."""


def ways_together(
    wish: Wish, targets: Sequence[Target], catalog: Catalog, core: frozenset[str]
) -> Iterator[WayOut]:
    """The cheapest first: other versions, another Python, several locks, the CPU, a change of one target."""
    free = tuple(replace(item, specifier=SpecifierSet(), text="") for item in wish.wanted)
    if any(str(item.specifier) for item in wish.wanted):
        yield from _changed(replace(wish, wanted=free), targets, catalog)
    if str(wish.python):
        yield from _changed(replace(wish, python=SpecifierSet()), targets, catalog, python=True)
    yield from _locks(wish, targets, catalog)
    if not wish.allow_cpu and wish.accelerator != "cpu":
        yield from _some_on_cpu(replace(wish, allow_cpu=True), targets, catalog)
        on_cpu = replace(wish, accelerator="cpu", cuda=None)
        yield from _changed(on_cpu, targets, catalog, text="run on the CPU")
    for place, target in enumerate(targets):
        own = {found for clause in core if (found := clause_for(clause, place + 1)) is not None}
        yield from _elsewhere(wish, targets, catalog, (place, target, own))


def _some_on_cpu(wish: Wish, targets: Sequence[Target], catalog: Catalog) -> Iterator[WayOut]:
    """Some frameworks on the CPU while others keep the GPU."""
    for way in _changed(wish, targets, catalog, text="let some run on the CPU"):
        plain = {pick.framework for plan in way.plans for pick in plan.picks if pick.variant == "cpu"}
        if len(plain) < len(way.plans[0].picks):
            yield replace(way, text=f"let {' and '.join(sorted(plain))} run on the CPU")


def _elsewhere(
    wish: Wish, targets: Sequence[Target], catalog: Catalog, of: tuple[int, Target, set[str]]
) -> Iterator[WayOut]:
    """One target a little different: fewer GPUs, a newer driver, a newer C library."""
    place, target, own = of
    changes: list[Change] = []
    if any(clause.startswith("gpu ") for clause in own):
        changes += [change for some in fewer_gpus(target, catalog.hardware) for change in some]
    if "fact driver" in own:
        changes += drivers(target, catalog.hardware)
    if "fact libc" in own:
        changes += newer_libc(Question(wish, target, catalog))
    for text, changed in changes:
        others = [*targets[:place], changed, *targets[place + 1 :]]
        found = _solved(wish, others, catalog)
        if found:
            yield WayOut(text=f"{target.name}: {text}", command=command_together(wish, others), plans=found)
            return


def command_together(wish: Wish, targets: Sequence[Target]) -> str:
    """The command that asks for one lock for these targets, said in words."""
    words = shlex.split(command_of(wish, Target()))
    for target in targets:
        words += ["--target", describe(target)]
    return shlex.join(words)


def _changed(
    wish: Wish, targets: Sequence[Target], catalog: Catalog, *, text: str = "", python: bool = False
) -> Iterator[WayOut]:
    found = fitting_together(wish, targets, catalog)
    if found is None:
        return
    plan = found.plans[0]
    versions = {pick.framework: f"{pick.framework}=={pick.version}" for pick in plan.picks}
    if python:
        wish = replace(wish, python=SpecifierSet(f"=={plan.python}.*"))
        text = f"take Python {plan.python}"
    elif not text:
        wanted = tuple(
            replace(
                item,
                specifier=SpecifierSet(versions[item.framework].removeprefix(item.framework)),
                text=versions[item.framework],
            )
            for item in wish.wanted
        )
        wish = replace(wish, wanted=wanted)
        text = f"take {' and '.join(item.text for item in wanted)}"
    yield WayOut(text=text, command=command_together(wish, targets), plans=found.plans)


def _locks(wish: Wish, targets: Sequence[Target], catalog: Catalog) -> Iterator[WayOut]:
    """As few locks as will do: one target by itself, or two groups; at last one lock for each."""
    everyone = range(len(targets))
    for first in _halves(len(targets)):
        groups = [first, tuple(place for place in everyone if place not in first)]
        plans = [_solved(wish, [targets[place] for place in group], catalog) for group in groups]
        if all(plans):
            yield _apart(wish, [[targets[place] for place in group] for group in groups], plans)
            return
    alone = [[target] for target in targets]
    plans = [_solved(wish, group, catalog) for group in alone] if len(alone) > 2 else []
    if plans and all(plans):
        yield _apart(wish, alone, plans)


def _halves(count: int) -> Iterator[tuple[int, ...]]:
    """Groups that hold the first target, the largest first: whatever is not in one is the other group."""
    sizes = range(count - 1, 0, -1) if count <= FEW else ()
    for size in sizes:
        yield from (group for group in combinations(range(count), size) if 0 in group)


def _solved(wish: Wish, group: Sequence[Target], catalog: Catalog) -> tuple[Plan, ...]:
    if len(group) == 1:
        plan = fitting_plan(wish, group[0], catalog)
        return () if plan is None else (plan,)
    found: Together | None = fitting_together(wish, group, catalog)
    return () if found is None else found.plans


def _apart(wish: Wish, groups: Sequence[Sequence[Target]], plans: Sequence[tuple[Plan, ...]]) -> WayOut:
    listed = "; ".join(" and ".join(target.name for target in group) for group in groups)
    commands = [command_together(wish, group) for group in groups]
    flat = tuple(plan for group in plans for plan in group)
    return WayOut(text=f"use {len(groups)} locks: {listed}", command=" && ".join(commands), plans=flat)
