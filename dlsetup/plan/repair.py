"""What would mend the examined environment: which builds, and what must not stay beside them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace
from packaging.version import Version

from dlsetup.judge.known import numpy1_builds
from dlsetup.judge.roles import matches
from dlsetup.model.finding import Diagnosis, Finding
from dlsetup.model.framework import Build, Catalog, Framework
from dlsetup.model.machine import Distribution, Driver, Environment, Machine
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.repair import Intent
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.wish import Wish
from dlsetup.plan.kinds import KINDS, Kind, deeds, mendable
from dlsetup.plan.least_change import Present, least_change
from dlsetup.plan.mending import Bench
from dlsetup.plan.neighbours import distributions_of, others, replaced, unwanted_twins
from dlsetup.plan.remains import emptied
from dlsetup.rules.installed import asked_for, build_of


def intend(
    machine: Machine, diagnosis: Diagnosis, catalog: Catalog, kinds: Sequence[Kind] = KINDS
) -> Intent | Conflict | None:
    """What the examined environment should hold to be rid of faults of these kinds; None: it has none.

    A build that does not run here is exchanged whatever the kind: nothing is chosen that would not run.
    """
    environment, mends = machine.environment, mendable(diagnosis, kinds)
    if environment is None or not mends:
        return None
    may = deeds(mends)
    if "choose-builds" not in may:
        return _as_it_is(machine, environment, mends, catalog)
    left = tuple(item for item in mendable(diagnosis) if item not in mends)
    plan = _plan(machine, environment, mends, left, catalog)
    if isinstance(plan, Conflict):
        return plan
    plan = _bounded(plan)
    unwanted = tuple(
        unwanted_twins(environment, plan, catalog, gpu=bool(machine.gpus), together="part-twins" in may)
    )
    return Intent(
        environment=environment.path,
        mends=mends,
        plan=plan,
        others=tuple(others(environment, plan, catalog, unwanted)),
        replace=tuple(replaced(environment, plan, catalog)),
        twins=unwanted,
        again=emptied(environment) if "clear-remains" in may else (),
        whole_files="restore-files" in may,
    )


def _as_it_is(
    machine: Machine, environment: Environment, mends: tuple[Finding, ...], catalog: Catalog
) -> Intent:
    """Every version stays; at most something is installed once more, from the index it came from."""
    again = emptied(environment) if "clear-remains" in deeds(mends) else ()
    names = {pin.partition("==")[0] for pin in again}
    builds = {
        item.name: build
        for item in distributions_of(environment)
        if item.name in names and isinstance(build := build_of(item, environment, catalog), Build)
    }
    plan = Plan(
        target=_target(machine, environment),
        python=_python(environment),
        picks=(),
        indexes=tuple(
            index for index in catalog.indexes if index.name in {item.index for item in builds.values()}
        ),
        sources=tuple((name, build.index) for name, build in builds.items()),
    )
    return Intent(
        environment=environment.path,
        mends=mends,
        plan=plan,
        others=tuple(sorted({item.name for item in distributions_of(environment)} - names)),
        again=again,
        idle=True,
        whole_files=False,
    )


def anew(environment: Environment, catalog: Catalog) -> str:
    """The command that makes a new environment with the frameworks of this one; empty: it has none."""
    there = [item for item in catalog.frameworks if any(map(environment.distribution, item.distributions))]
    name = environment.path.replace("\\", "/").rpartition("/")[2]
    words = ("dlsetup", "create", "env", f"{name}-anew", *(item.name for item in there))
    return shlex.join(words) if there else ""


def _plan(
    machine: Machine,
    environment: Environment,
    mends: Sequence[Finding],
    left: Sequence[Finding],
    catalog: Catalog,
) -> Plan | Conflict:
    """`left`: faults that are not asked about, and stay where they may."""
    here = _target(machine, environment)
    present = tuple(_present(environment, here, catalog))
    if not present:
        return Plan(target=here, python=_python(environment), picks=())
    if _made_for_elsewhere(here, present):
        elsewhere = replace(here, gpus=UNKNOWN, driver=UNKNOWN, cuda_ceiling=UNKNOWN)
        wish = Wish(wanted=(), accelerator="cuda", allow_cpu=True)
        return least_change(present, wish, elsewhere, catalog)
    if any(matches("cpu-only-<framework>", item.id) for item in left):
        return least_change(present, Wish(wanted=(), allow_cpu=True), here, catalog)
    strict = least_change(present, Wish(wanted=()), here, catalog)
    if isinstance(strict, Plan):
        return strict
    lenient = least_change(present, Wish(wanted=(), allow_cpu=True), here, catalog)
    return lenient if isinstance(lenient, Plan) and not _leaves_idle(lenient, mends) else strict


def _python(environment: Environment) -> Version:
    python = environment.python if isinstance(environment.python, Version) else Version("3")
    return Version(f"{python.major}.{python.minor}")


def _bounded(plan: Plan) -> Plan:
    """With NumPy 1 where a framework was compiled for it, which its own metadata may not say."""
    picks = [(pick.framework, pick.version) for pick in plan.picks]
    old = any(row.holds_for(*pick) for row in numpy1_builds() for pick in picks)
    return replace(plan, constraints=(*plan.constraints, "numpy<2")) if old else plan


def _leaves_idle(plan: Plan, mends: Iterable[Finding]) -> bool:
    """Whether a framework would keep the CPU build that is the very fault."""
    on_cpu = {f"cpu-only-{pick.framework}" for pick in plan.picks if pick.variant == "cpu"}
    return any(item.id in on_cpu for item in mends)


def _made_for_elsewhere(here: Target, present: Iterable[Present]) -> bool:
    """Whether CUDA builds were put on purpose on a machine without a GPU: a login node, an image."""
    builds = [item.build for item in present if isinstance(item.build, Build)]
    return here.gpus == () and any(build.accelerator == "cuda" for build in builds)


def _target(machine: Machine, environment: Environment) -> Target:
    """This machine with the one Python that the environment has.

    A driver that is there and not loaded is no reason to leave the GPU: loading it is another repair.
    """
    target = Target.of(machine)
    if target.driver is None and isinstance(machine.driver, Driver):
        target = replace(target, driver=machine.driver.userland or UNKNOWN)
    if isinstance(environment.python, Unknown):
        return target
    bench = Bench(environment=environment.path, folder="", windows=target.os == "windows")
    python = Interpreter(
        version=environment.python,
        path=bench.python,
        free_threaded=environment.free_threaded is True,
    )
    return replace(target, pythons=(python,))


def _present(environment: Environment, here: Target, catalog: Catalog) -> Iterator[Present]:
    """What is installed in a release that the catalog knows: nothing can be said of another."""
    for framework in catalog.frameworks:
        found = _distribution(framework, environment, here)
        if found is None:
            continue
        public = Version(found.version.public)
        if framework.of(found.version):
            build = build_of(found, environment, catalog)
            yield Present(framework=framework.name, version=public, build=UNKNOWN if build is None else build)


def _distribution(framework: Framework, environment: Environment, here: Target) -> Distribution | None:
    """The distribution that stands for a framework; of twins on a machine with a GPU the one that uses it."""
    there = [item for name in framework.distributions if (item := environment.distribution(name))]
    for_cpu = {name for build in framework.builds if build.accelerator == "cpu" for name in asked_for(build)}
    for_gpu = {name for build in framework.builds for name in asked_for(build)} - for_cpu
    if here.gpus:
        there.sort(key=lambda item: item.name not in for_gpu)
    return there[0] if there else None
