"""A plan as conda-forge packages: `environment.yml`, and the call of each conda tool.

conda solves for itself: it gets the release lines of the plan, one CUDA major and no `defaults`
channel. What conda-forge does not have is left to pip.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping

from msgspec.structs import replace
from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

from dlsetup.model.conda import CondaPackage
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Accelerator
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.resolution import Pick, Plan
from dlsetup.model.steps import Procedure, Run, Step, Write
from dlsetup.plan.environment import Place

TOOLS = ("micromamba", "mamba", "conda", "pixi")
"""In the order in which they are looked for: the fastest first."""


class CondaTool(Record, frozen=True, kw_only=True):
    name: str
    path: str


def environment_yml(
    plan: Plan, packages: Collection[CondaPackage], accelerators: Mapping[str, Accelerator | Unknown]
) -> str:
    """The file for any conda tool. Raises `UsageError` for an accelerator that conda-forge does not serve."""
    specs, left = _specs(plan, packages, accelerators)
    lines = ["channels:", "  - conda-forge", "  - nodefaults", "dependencies:", f"  - python={plan.python}"]
    if plan.cuda is not None:
        lines.append(f"  - cuda-version={plan.cuda.major}")
    lines += [f"  - {json.dumps(spec)}" for spec in specs]
    if left:
        lines += ["  - pip", "  - pip:", *(f"    - {json.dumps(item)}" for item in left)]
    return "\n".join(lines) + "\n"


def on_conda_forge(plan: Plan, packages: Collection[CondaPackage]) -> Plan:
    """The plan as conda carries it out: picks with a counterpart come from conda-forge, and weigh
    what they weigh there."""
    known = {item.distribution for item in packages}
    picks = tuple(
        replace(pick, index="conda-forge", size_bytes=UNKNOWN) if _name(pick) in known else pick
        for pick in plan.picks
    )
    return replace(plan, picks=picks)


def _name(pick: Pick) -> NormalizedName:
    return canonicalize_name(Requirement(pick.requirement).name)


def _specs(
    plan: Plan, packages: Collection[CondaPackage], accelerators: Mapping[str, Accelerator | Unknown]
) -> tuple[list[str], list[str]]:
    """Specs for conda, and requirements that are left to pip."""
    known = {item.distribution: item for item in packages}
    asked = {canonicalize_name(Requirement(item).name): item for item in plan.requirements}
    specs: list[str] = []
    for pick in plan.picks:
        name = _name(pick)
        found = known.get(name)
        if found is not None:
            specs += _of_pick(pick, found, accelerators.get(pick.framework, UNKNOWN))
            asked.pop(name, None)
    return specs, [*_addresses(plan, set(asked)), *asked.values()]


def _of_pick(pick: Pick, package: CondaPackage, accelerator: Accelerator | Unknown) -> Iterator[str]:
    offered = {"cuda": package.cuda, "cpu": package.cpu, "mps": package.mps}
    kind = "cpu" if isinstance(accelerator, Unknown) else accelerator
    if not offered.get(kind):
        raise UsageError(
            f"no conda-forge build of {pick.framework} for {kind} is known.", hint="leave `--with conda` out."
        )
    release = pick.version.release
    return (spec.format(minor=".".join(map(str, release[:2]))) for spec in offered[kind])


def _addresses(plan: Plan, left: Collection[str]) -> list[str]:
    names = {index for distribution, index in plan.sources if canonicalize_name(distribution) in left}
    return [f"--extra-index-url {index.url}" for index in plan.indexes if index.url and index.name in names]


def conda_steps(text: str, place: Place, tool: CondaTool, plan: Plan, *, foreign: bool) -> tuple[Step, ...]:
    """The environment is made in its place at once: conda writes its path into files."""
    file = place.inside("environment.yml")
    # Without a driver on the building machine conda would take the CPU builds.
    env = (("CONDA_OVERRIDE_CUDA", str(plan.cuda)),) if foreign and plan.cuda is not None else ()
    calls = [Run(argv=argv, why=why, env=env) for argv, why in _calls(tool, file, place.final)]
    return (Write(path=file, text=text, why="say what is wanted"), *calls)


def _calls(tool: CondaTool, file: str, final: str) -> list[tuple[tuple[str, ...], str]]:
    why = f"let {tool.name} solve and install it"
    if tool.name == "pixi":
        return [
            ((tool.path, "init", "--import", file, final), "make a pixi workspace of it"),
            ((tool.path, "install", "--manifest-path", f"{final}/pixi.toml"), why),
        ]
    create = ("create", "--yes") if tool.name == "micromamba" else ("env", "create")
    return [((tool.path, *create, "--prefix", final, "--file", file), why)]


def conda_procedure(steps: tuple[Step, ...], place: Place) -> Procedure:
    """The steps as `--dry-run` shows them."""
    notes = ("conda solves for itself: patch releases may differ from the plan's.",)
    return Procedure(title=f"Steps to build {place.final}", steps=steps, notes=notes)


def conda_python(tool: CondaTool, place: Place) -> str:
    """The Python of the finished environment."""
    home = f"{place.final}/.pixi/envs/default" if tool.name == "pixi" else place.final
    return f"{home}/python.exe" if place.windows else f"{home}/bin/python"
