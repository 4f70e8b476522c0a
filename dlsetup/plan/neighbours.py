"""What stays, goes or is exchanged beside the frameworks of a plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath, PureWindowsPath

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from dlsetup.model.framework import Build, Catalog
from dlsetup.model.machine import Distribution, Environment
from dlsetup.model.record import Unknown
from dlsetup.model.resolution import Pick, Plan
from dlsetup.rules.installed import build_of
from dlsetup.rules.twins import twin_to_keep, twins

_COMPANIONS = ("nvidia-", "cuda-", "jax-cuda", "jax-rocm", "jax-oneapi", "triton", "pytorch-triton")
_FOR_THEIR_OWN_SAKE = ("nvidia-ml-py",)


def is_companion(name: str) -> bool:
    """Whether it is only there for a framework: its CUDA libraries and compilers."""
    return name.startswith(_COMPANIONS) and name not in _FOR_THEIR_OWN_SAKE


def distributions_of(environment: Environment) -> tuple[Distribution, ...]:
    """What is known to be installed."""
    return () if isinstance(environment.distributions, Unknown) else environment.distributions


def unwanted_twins(
    environment: Environment, plan: Plan, catalog: Catalog, *, gpu: bool, together: bool
) -> Iterator[str]:
    """Of distributions that own one import package, all but the one that the plan asks for.

    `together`: also those that lie beside each other now, which may be another fault.
    """
    asked = {canonicalize_name(Requirement(text).name) for text in plan.requirements}
    for framework in catalog.frameworks:
        for group in framework.twins:
            there = [name for name in group if environment.distribution(name)]
            if asked.intersection(group) and not asked.intersection(there):
                yield from there
    for group in twins(environment, catalog).values() if together else ():
        kept = [name for name in group if name in asked] or [twin_to_keep(group, environment, gpu=gpu)]
        yield from (name for name in group if name not in kept)


def others(environment: Environment, plan: Plan, catalog: Catalog, unwanted: Sequence[str]) -> Iterator[str]:
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


def replaced(environment: Environment, plan: Plan, catalog: Catalog) -> Iterator[str]:
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
