"""A plan as conda-forge packages: `environment.yml`, and the call of each conda tool.

conda solves for itself: it gets the release lines of the plan, one CUDA major and no `defaults`
channel. What conda-forge does not have is left to pip.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec.structs import replace
from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

from dlsetup.model.conda import CondaPackage, CondaWish
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Accelerator
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.resolution import Pick, Plan
from dlsetup.model.steps import Procedure, Run, Step, Write
from dlsetup.plan.environment import Place
from dlsetup.plan.yaml_text import plain_or_quoted, quoted

TOOLS = ("micromamba", "mamba", "conda", "pixi")
"""In the order in which they are looked for: the fastest first."""


_SHARED = ("==", "!=", ">=", "<=", ">", "<")
"""Operators that say the same to conda as to Python's installers."""


class CondaTool(Record, frozen=True, kw_only=True):
    name: str
    path: str


Accelerators = Mapping[str, Accelerator | Unknown]


def conda_wish(
    plan: Plan,
    packages: Collection[CondaPackage],
    accelerators: Accelerators,
    plain: Collection[str] = (),
) -> CondaWish:
    """The plan in conda's words. `plain`: distributions that conda-forge has under the same name.

    Raises `UsageError` for an accelerator that conda-forge does not serve.
    """
    frameworks, left = _specs(plan, packages, accelerators)
    same = {text: spec for text in left if (spec := _same(text, plain))}
    cuda = () if plan.cuda is None else (f"cuda-version={plan.cuda.major}",)
    return CondaWish(
        always=(f"python={plan.python}", *cuda),
        frameworks=tuple(frameworks),
        packages=tuple(same.values()),
        pip=tuple(text for text in left if text not in same),
    )


def _same(text: str, plain: Collection[str]) -> str:
    """A requirement as a match spec; empty where conda is not known to have it, or has no words for it."""
    if text.startswith("-"):
        return ""
    item = Requirement(text)
    name = canonicalize_name(item.name)
    plainly = all(one.operator in _SHARED and "*" not in one.version for one in item.specifier)
    if name not in plain or item.url or item.extras or item.marker or not plainly:
        return ""
    return f"{name}{item.specifier}"


def wish_text(wish: CondaWish, *, name: str = "") -> str:
    """The wish as `environment.yml`, for any conda tool."""
    lines = [f"name: {quoted(name)}"] if name else []
    lines += ["channels:", *(f"  - {plain_or_quoted(item)}" for item in wish.channels), "  - nodefaults"]
    lines += _about_cuda(wish)
    lines += ["dependencies:", *(f"  - {plain_or_quoted(spec)}" for spec in wish.specs)]
    if wish.pip:
        lines += ["  - pip:", *(f"    - {quoted(item)}" for item in wish.pip)]
    return "\n".join(lines) + "\n"


def _about_cuda(wish: CondaWish) -> list[str]:
    """Why a machine without a driver gets no CUDA builds of itself."""
    found = next((item for item in wish.always if item.startswith("cuda-version=")), None)
    if found is None:
        return []
    version = found.partition("=")[2]
    return [
        "# Its CUDA builds ask for the virtual package __cuda, which is there where a driver is. Elsewhere",
        f"# (login node, image) say what the driver will be: CONDA_OVERRIDE_CUDA={version}",
    ]


def on_conda_forge(plan: Plan, packages: Collection[CondaPackage]) -> Plan:
    """The plan as conda carries it out: picks with a counterpart come from conda-forge, and weigh
    what they weigh there."""
    known = {item.distribution for item in packages}
    picks = tuple(
        replace(pick, index="conda-forge", size_bytes=UNKNOWN)
        if known.intersection((_name(pick), pick.framework))
        else pick
        for pick in plan.picks
    )
    return replace(plan, picks=picks)


def _name(pick: Pick) -> NormalizedName:
    return canonicalize_name(Requirement(pick.requirement).name)


def _specs(
    plan: Plan, packages: Collection[CondaPackage], accelerators: Accelerators
) -> tuple[list[tuple[str, tuple[str, ...]]], list[str]]:
    """Specs for conda by framework, and requirements that are left to pip."""
    known = {item.distribution: item for item in packages}
    asked = {canonicalize_name(Requirement(item).name): item for item in plan.requirements}
    specs: list[tuple[str, tuple[str, ...]]] = []
    for pick in plan.picks:
        name = _name(pick)
        # One distribution has several names among wheels: `onnxruntime-gpu`.
        found = known.get(name) or known.get(pick.framework)
        if found is not None:
            own = _of_pick(pick, found, accelerators.get(pick.framework, UNKNOWN))
            specs.append((pick.framework, tuple(own)))
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


def conda_steps(
    text: str, place: Place, tool: CondaTool, told: Sequence[tuple[str, str]]
) -> tuple[Step, ...]:
    """The environment is made in its place at once: conda writes its path into files.

    `told`: variables that say what the tool cannot see here: the target, and that it may not ask the network.
    """
    file = place.inside("environment.yml")
    calls = [Run(argv=argv, why=why, env=tuple(told)) for argv, why in _calls(tool, file, place.final)]
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
