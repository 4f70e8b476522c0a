"""What becomes of one framework on a target: as it should be, with a drawback, or not at all."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from msgspec.structs import replace

from dlsetup.model.choosing import Fit
from dlsetup.model.framework import Build, Catalog, Framework
from dlsetup.model.record import Unknown
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.model.target import Target
from dlsetup.model.wish import Wish
from dlsetup.resolve.answer import fitting_plan, resolve
from dlsetup.resolve.devices import devices_of
from dlsetup.resolve.rule_words import KEEPS_GPU

OLD_DAYS = 730
"""A release that is so much older than the newest one is told."""


def fit_of(wish: Wish, target: Target, catalog: Catalog) -> Fit:
    """How the frameworks of a wish fit; the first one is the one in question."""
    answer = resolve(wish, target, catalog)
    if isinstance(answer, Conflict):
        return _without_gpu(wish, target, catalog, answer)
    if _leaves_gpu(answer, wish, target, catalog):
        return Fit(how="cpu", because=f"it runs on the CPU of {target.name} only", plan=answer)
    late = _late(answer, catalog)
    return Fit(how="old" if late else "works", because=late, plan=answer)


def newest_of(framework: Framework) -> Build | None:
    """A build of its newest release that is final and was not taken back."""
    good = (build for build in framework.builds if not build.prerelease and not build.yanked)
    return next(good, None)


def _without_gpu(wish: Wish, target: Target, catalog: Catalog, conflict: Conflict) -> Fit:
    """Where the GPU cannot be used, the CPU may do, unless a device was asked for."""
    because = told_of(conflict)
    if wish.accelerator is None and wish.cuda is None:
        plan = fitting_plan(replace(wish, accelerator="cpu"), target, catalog)
        if plan is not None:
            return Fit(how="cpu", because=because, plan=plan, conflict=conflict)
    return Fit(how="none", because=because, conflict=conflict)


def told_of(conflict: Conflict) -> str:
    """The rules that decide it, without what was asked for and without that which keeps the GPU in use."""
    rules = [item.text.removesuffix(f", and {KEEPS_GPU}") for item in conflict.core if item.kind == "rule"]
    telling = [text for text in rules if text != KEEPS_GPU]
    return "; ".join(telling or [item.text for item in conflict.core])


def _leaves_gpu(plan: Plan, wish: Wish, target: Target, catalog: Catalog) -> bool:
    """Whether the target has a device that nothing in the plan is built for."""
    device = devices_of(wish, target)
    guessed = device.clause == "fact driver" and not device.strict
    if device.accelerator == "cpu" or guessed:
        return False
    return all(build.accelerator == "cpu" for build in _builds(plan, catalog))


def _builds(plan: Plan, catalog: Catalog) -> Iterator[Build]:
    for pick in plan.picks:
        build = catalog.build(pick.framework, pick.version, pick.variant, pick.index)
        assert build is not None
        yield build


def _late(plan: Plan, catalog: Catalog) -> str:
    """That a pick is years older than the newest release of its framework; empty where none is."""
    for pick, build in zip(plan.picks, _builds(plan, catalog), strict=True):
        framework = catalog.framework(pick.framework)
        newest = None if framework is None else newest_of(framework)
        if newest is None or isinstance(newest.released, Unknown) or isinstance(build.released, Unknown):
            continue
        if _days(newest.released) - _days(build.released) >= OLD_DAYS:
            return (
                f"the newest release of {pick.framework} that fits is {build.version.public} of "
                f"{build.released}; the newest of all is {newest.version} of {newest.released}"
            )
    return ""


def _days(date: str) -> int:
    return datetime.date.fromisoformat(date).toordinal()
