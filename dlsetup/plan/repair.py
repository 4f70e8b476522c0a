"""What would mend the examined environment: which builds, and what must not stay beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath, PureWindowsPath

from msgspec.structs import replace
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from dlsetup.judge.known import numpy1_builds
from dlsetup.judge.roles import matches
from dlsetup.model.finding import Diagnosis, Finding
from dlsetup.model.framework import Build, Catalog, Framework
from dlsetup.model.machine import Distribution, Driver, Environment, Machine
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.repair import Intent
from dlsetup.model.resolution import Conflict, Pick, Plan
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.wish import Wish
from dlsetup.plan.least_change import Present, least_change
from dlsetup.plan.mending import Bench
from dlsetup.rules.installed import asked_for, build_of
from dlsetup.rules.twins import twin_to_keep, twins

MENDABLE = (
    "onnxruntime-cpu-and-gpu-both",
    "<framework>-cpu-and-gpu-both",
    "<framework>-twins",
    "gpu-arch-not-in-wheel",
    "rocm-gfx-not-in-build",
    "driver-too-old",
    "cpu-only-<framework>",
    "mixed-cuda-majors",
    "two-frameworks-share-cudnn",
    "cudnn-major-mismatch",
    "cudnn-too-old-at-runtime",
    "torchvision-torch-mismatch",
    "torchaudio-torch-mismatch",
    "numpy2-abi",
    "tensorflow-without-cuda-wheels",
    "tensorflow-cannot-find-wheel-libs",
    "jax-plugin-mismatch",
    "jax-jaxlib-mismatch",
    "installed-files-damaged",
)
"""Findings that other builds, or the same files once more, take away."""

_COMPANIONS = ("nvidia-", "cuda-", "jax-cuda", "jax-rocm", "jax-oneapi", "triton", "pytorch-triton")
_FOR_THEIR_OWN_SAKE = ("nvidia-ml-py",)


def mendable(diagnosis: Diagnosis) -> tuple[Finding, ...]:
    """The faults that a change of the environment can take away."""
    faults = [item for item in diagnosis.findings if item.severity != "note"]
    return tuple(item for item in faults if any(matches(pattern, item.id) for pattern in MENDABLE))


def intend(machine: Machine, diagnosis: Diagnosis, catalog: Catalog) -> Intent | Conflict | None:
    """What the examined environment should hold; None: nothing in it can be mended by changing it."""
    environment, mends = machine.environment, mendable(diagnosis)
    if environment is None or not mends:
        return None
    plan = _plan(machine, environment, mends, catalog)
    if isinstance(plan, Conflict):
        return plan
    plan = _bounded(plan)
    unwanted = tuple(_unwanted_twins(environment, plan, catalog, gpu=bool(machine.gpus)))
    return Intent(
        environment=environment.path,
        mends=mends,
        plan=plan,
        others=tuple(_others(environment, plan, catalog, unwanted)),
        replace=tuple(_replaced(environment, plan, catalog)),
        twins=unwanted,
    )


def is_companion(name: str) -> bool:
    """Whether it is only there for a framework: its CUDA libraries and compilers."""
    return name.startswith(_COMPANIONS) and name not in _FOR_THEIR_OWN_SAKE


def distributions_of(environment: Environment) -> tuple[Distribution, ...]:
    """What is known to be installed."""
    return () if isinstance(environment.distributions, Unknown) else environment.distributions


def _plan(
    machine: Machine, environment: Environment, mends: Iterable[Finding], catalog: Catalog
) -> Plan | Conflict:
    here = _target(machine, environment)
    present = tuple(_present(environment, here, catalog))
    if not present:
        python = environment.python if isinstance(environment.python, Version) else Version("3")
        return Plan(target=here, python=Version(f"{python.major}.{python.minor}"), picks=())
    if _made_for_elsewhere(here, present):
        elsewhere = replace(here, gpus=UNKNOWN, driver=UNKNOWN, cuda_ceiling=UNKNOWN)
        wish = Wish(wanted=(), accelerator="cuda", allow_cpu=True)
        return least_change(present, wish, elsewhere, catalog)
    strict = least_change(present, Wish(wanted=()), here, catalog)
    if isinstance(strict, Plan):
        return strict
    lenient = least_change(present, Wish(wanted=(), allow_cpu=True), here, catalog)
    return lenient if isinstance(lenient, Plan) and not _leaves_idle(lenient, mends) else strict


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


def _unwanted_twins(environment: Environment, plan: Plan, catalog: Catalog, gpu: bool) -> Iterator[str]:
    """Of distributions that own one import package, all but the one that the plan asks for."""
    asked = {canonicalize_name(Requirement(text).name) for text in plan.requirements}
    for group in twins(environment, catalog).values():
        kept = [name for name in group if name in asked] or [twin_to_keep(group, environment, gpu=gpu)]
        yield from (name for name in group if name not in kept)


def _others(environment: Environment, plan: Plan, catalog: Catalog, unwanted: Sequence[str]) -> Iterator[str]:
    """Whatever nothing in the plan brings; a prerelease is named, or the installer would leave it.

    What an environment only sees, because the Python it rests on has it, is not its own.
    """
    picked = {pick.framework for pick in plan.picks}
    ours = {name for item in catalog.frameworks if item.name in picked for name in item.distributions}
    own = {(item.name, item.version) for item in distributions_of(environment) if _inside(item, environment)}
    for name, version in sorted(own):
        if name in ours or name in unwanted or is_companion(name):
            continue
        unknown = any(name in framework.distributions for framework in catalog.frameworks)
        yield f"{name}=={version}" if unknown or version.is_prerelease else name


def _inside(distribution: Distribution, environment: Environment) -> bool:
    kind = PureWindowsPath if "\\" in environment.path else PurePosixPath
    return not distribution.location or kind(distribution.location).is_relative_to(environment.path)


def _replaced(environment: Environment, plan: Plan, catalog: Catalog) -> Iterator[str]:
    """Distributions whose installed version already answers to the requirement, in another build."""
    for pick in plan.picks:
        wanted = Requirement(pick.requirement)
        found = environment.distribution(canonicalize_name(wanted.name))
        if found is not None and not wanted.extras and _is_other_build(found, pick, environment, catalog):
            yield found.name


def _is_other_build(found: Distribution, pick: Pick, environment: Environment, catalog: Catalog) -> bool:
    build = build_of(found, environment, catalog)
    if isinstance(build, Build):
        return (build.variant, build.index) != (pick.variant, pick.index)
    return found.variant != pick.variant
