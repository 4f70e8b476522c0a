"""An environment of conda packages: by a tool that is found here, else by the embedded solver."""

from __future__ import annotations

import sys
from functools import partial

from msgspec.structs import replace

from dlsetup.act.conda import find_conda, missing
from dlsetup.act.environment import Build, CondaBuild, conda_runner, uv_runner
from dlsetup.act.pip_configuration import from_pip
from dlsetup.act.rattler import CondaRefusal, embedded, find_rattler, run_rattler
from dlsetup.act.rattler_build import RattlerBuild
from dlsetup.act.uv import find_uv
from dlsetup.catalog.conda import conda_packages, plain_packages
from dlsetup.commands.builds import Request, passport_of
from dlsetup.model.conda import CondaWish
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Catalog
from dlsetup.model.record import Unknown
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.plan.conda import CondaTool, conda_steps, conda_wish, wish_text
from dlsetup.plan.conda_platform import CondaPlatform, conda_platform
from dlsetup.plan.environment import Place
from dlsetup.plan.expectation import expectations
from dlsetup.plan.rattler import job_of, rattler_steps
from dlsetup.probe.host import Host
from dlsetup.resolve.learned import taught_lines
from dlsetup.rules.driver import ceiling_of


def conda_build(plan: Plan, place: Place, request: Request, catalog: Catalog, host: Host) -> Build:
    """Raises `ToolMissing` where there is neither a conda tool nor the embedded solver."""
    wish = wish_of_plan(plan, catalog)
    found = None if request.tool == "rattler" else find_conda(host.environ)
    if found is None and (request.tool == "rattler" or find_rattler() is not None):
        return _embedded(plan, wish, place, request, catalog, host)
    if found is None and not request.dry_run:
        raise missing()
    tool = found or CondaTool(name="conda", path="conda")
    told = _told(plan, tool, request, catalog)
    steps = conda_steps(wish_text(wish), place, tool, told)
    run = conda_runner(host.environ, seen=sys.stderr.isatty())
    return CondaBuild(place, tool, steps, passport_of(plan, request, catalog), run)


def wish_of_plan(plan: Plan, catalog: Catalog) -> CondaWish:
    """The plan in conda's words. Raises `UsageError` for what conda-forge does not serve."""
    accelerators = {item.framework: item.accelerator for item in expectations(plan, catalog)}
    return conda_wish(plan, conda_packages(), accelerators, plain_packages())


def platform_of(plan: Plan, catalog: Catalog) -> CondaPlatform:
    """What a solver is told of the plan's target: the CUDA of its driver, where a plan has CUDA at all."""
    ceiling = ceiling_of(plan.target, catalog.hardware)
    cuda = plan.cuda if plan.cuda is None or isinstance(ceiling, Unknown) else ceiling
    return conda_platform(plan.target, cuda)


def _embedded(
    plan: Plan, wish: CondaWish, place: Place, request: Request, catalog: Catalog, host: Host
) -> RattlerBuild:
    seen = sys.stderr.isatty()
    uv = find_uv(host.environ)
    means = embedded(host.environ, uv, offline=request.offline, seen=seen)
    platform = platform_of(plan, catalog)
    job = job_of(wish, platform, place, means)
    steps = rattler_steps(wish_text(wish), wish, job, place, means)
    passport = replace(passport_of(plan, request, catalog), tool="rattler")
    environ = {**host.environ, **from_pip(uv, host.environ)}
    runners = (partial(run_rattler, environ=host.environ, seen=seen), uv_runner(environ, seen=seen))
    return RattlerBuild(place, job, steps, passport, runners, platform.assumed)


def _told(plan: Plan, tool: CondaTool, request: Request, catalog: Catalog) -> tuple[tuple[str, str], ...]:
    """Variables for a conda tool: what it cannot see of the target, and that it may not ask the network."""
    told = _foreign(plan, catalog) if request.question.foreign else ()
    if not request.offline:
        return told
    if tool.name == "pixi":
        raise UsageError("pixi cannot be kept from the network.", hint="`--with rattler` can.")
    return (*told, ("CONDA_OFFLINE", "1"), ("MAMBA_OFFLINE", "1"))


def _foreign(plan: Plan, catalog: Catalog) -> tuple[tuple[str, str], ...]:
    """As far as the target says it: a target without a system is of this machine's."""
    target = plan.target
    if not isinstance(target.os, Unknown) and not isinstance(target.arch, Unknown):
        return platform_of(plan, catalog).overrides
    return () if plan.cuda is None else (("CONDA_OVERRIDE_CUDA", str(plan.cuda)),)


def learned_of(error: CondaRefusal, answer: Plan | Conflict, catalog: Catalog) -> Catalog:
    """The catalog with what a refusal teaches. Raises it where no framework of the plan is the cause."""
    names = error.refusal.frameworks
    picks = [] if isinstance(answer, Conflict) else [item for item in answer.picks if item.framework in names]
    if not picks:
        raise error
    return taught_lines(catalog, picks)
