"""An environment that uv builds, step by step: what is written, what is run, in which order."""

from __future__ import annotations

from pathlib import PurePath, PurePosixPath, PureWindowsPath

from dlsetup.model import codec
from dlsetup.model.framework import Index
from dlsetup.model.outcome import Passport, Tool
from dlsetup.model.record import Record, Unknown
from dlsetup.model.resolution import Plan
from dlsetup.model.steps import Procedure, Run, Step, Write
from dlsetup.plan.toml import compiling, pyproject
from dlsetup.plan.uv_platform import uv_platform


class Place(Record, frozen=True, kw_only=True):
    """Where an environment goes, and the neighbour in which it is built. Absolute paths."""

    final: str
    work: str
    windows: bool = False

    @property
    def pure_work(self) -> PurePath:
        return PureWindowsPath(self.work) if self.windows else PurePosixPath(self.work)

    def inside(self, *parts: str) -> str:
        """A path inside the neighbour, in the manner of this system."""
        return str(self.pure_work.joinpath(*parts))

    @property
    def python(self) -> str:
        """The environment's own Python, while it is being built."""
        return self.inside("Scripts", "python.exe") if self.windows else self.inside("bin", "python")

    @property
    def lock(self) -> str:
        """uv reads a lock only under a name of PEP 751, `pylock.toml`."""
        return self.inside("dlsetup", "pylock.toml")


class Means(Record, frozen=True, kw_only=True):
    """What it is built with. `extra_indexes` without a name have the name ''."""

    tool: Tool = "uv"
    uv: str = "uv"
    extra_indexes: tuple[Index, ...] = ()
    find_links: tuple[str, ...] = ()
    offline: bool = False
    foreign: bool = False
    """The target is not the machine that builds: uv is told its platform."""
    python_key: str = ""
    """uv's name of the very Python to fetch, where that matters; empty: the newest of the plan's version."""


def lock_steps(plan: Plan, place: Place, means: Means) -> tuple[Step, ...]:
    """What leads to a lock: every file of the environment, with its hash and its one address."""
    wanted = place.inside("dlsetup", "pyproject.toml")
    bounds = place.inside("dlsetup", "constraints.txt")
    told = (*project_words(plan, place), *source_words(means), *_target(plan, means))
    compile_ = (means.uv, "pip", "compile", "--quiet", *told)
    files = ("--constraints", bounds, "--format", "pylock.toml", "--output-file", place.lock, wanted)
    return (
        *compiling_steps(plan, place),
        Write(path=wanted, text=pyproject(plan, seed=means.tool == "venv"), why="say what is wanted"),
        Write(path=bounds, text="".join(f"{item}\n" for item in plan.constraints), why="bound the rest"),
        Run(argv=(*compile_, *files), env=_environment(plan, means), why="lock every package with its hash"),
    )


def build_steps(
    plan: Plan, place: Place, means: Means, passport: Passport, lock: str = ""
) -> tuple[Step, ...]:
    """What leads from the lock to an environment beside its place. `lock`: one that lies elsewhere."""
    platform = _platform(plan, means)
    told = (*project_words(plan, place), "--python", place.python, *platform, *_network(means))
    sync = (means.uv, "pip", "sync", *told, *(("--require-hashes",) if lock.endswith(".txt") else ()))
    return (
        *_fetch_python(plan, means),
        Run(argv=_venv(plan, means, place.work, "--relocatable"), why="make an empty environment"),
        Run(argv=(*sync, lock or place.lock), env=_environment(plan, means), why="install what is locked"),
        Write(
            path=place.inside("dlsetup.json"),
            text=codec.encode(passport, indent=2).decode() + "\n",
            why="keep the target and the reasons with it",
        ),
    )


def last_steps(plan: Plan, place: Place, means: Means) -> tuple[Step, ...]:
    """What puts the environment that was built and checked into its place."""
    move = ("move", place.work, place.final) if place.windows else ("mv", place.work, place.final)
    return (Run(argv=move, why="put it into place"), activation_step(plan, place, means))


def activation_step(plan: Plan, place: Place, means: Means) -> Run:
    """The scripts to activate hold the path of the place: only now can they be written.

    Those of a relocatable environment hold none, but work in bash and zsh alone.
    """
    why = "write the activation scripts for the place"
    if means.tool == "venv":
        argv = (*_python(plan, means), "-m", "venv", "--without-pip", place.final)
        return Run(argv=argv, why=f"{why}, as the standard library does")
    return Run(argv=_venv(plan, means, place.final), why=why)


def environment_procedure(plan: Plan, place: Place, means: Means, passport: Passport) -> Procedure:
    """Everything from nothing to an environment in its place, as `--dry-run` shows it."""
    steps = (
        *lock_steps(plan, place, means),
        *build_steps(plan, place, means, passport),
        *last_steps(plan, place, means),
    )
    names = ", ".join(pick.framework for pick in plan.picks)
    note = f"Before it is put into place, a child of it imports {names}, looks for devices and computes."
    return Procedure(title=f"Steps to build {place.final}", steps=steps, notes=(note,))


def locked_procedure(
    plan: Plan, place: Place, means: Means, passport: Passport, copy: tuple[Write, str]
) -> Procedure:
    """The same from a lock that is there. `copy`: what is kept of it, and where it lies."""
    kept, lock = copy
    steps = (kept, *build_steps(plan, place, means, passport, lock), *last_steps(plan, place, means))
    names = ", ".join(pick.framework for pick in plan.picks)
    note = f"Before it is put into place, a child of it imports {names}, looks for devices and computes."
    return Procedure(title=f"Steps to build {place.final}", steps=steps, notes=(note,) if names else ())


def compiling_steps(plan: Plan, place: Place) -> tuple[Step, ...]:
    """What has to be written first where something is compiled."""
    text = compiling(plan)
    path = place.inside("dlsetup", "uv.toml")
    return (Write(path=path, text=text, why="say how to compile what has no wheel"),) if text else ()


def project_words(plan: Plan, place: Place) -> tuple[str, ...]:
    """uv heeds what is said about compiling only for the project that it works in."""
    return ("--project", place.inside("dlsetup")) if _compiles(plan) else ()


def _compiles(plan: Plan) -> bool:
    return any(pick.compiled for pick in plan.picks)


def _environment(plan: Plan, means: Means) -> tuple[tuple[str, str], ...]:
    """Variables for uv. Who forbids it to read files of settings does not mean the plan's own.

    To lock for another machine it needs no Python of that version, and would fetch one.
    """
    fetching = (("UV_PYTHON_DOWNLOADS", "never"),) if means.foreign else ()
    return (*_deployment(plan, means), *fetching, *((("UV_NO_CONFIG", "0"),) if _compiles(plan) else ()))


def _python(plan: Plan, means: Means) -> tuple[str, ...]:
    """The call of the Python that the environment is built on."""
    if plan.interpreter is not None:
        return (plan.interpreter,)
    managed = ("--no-project", "--managed-python", "--python", str(plan.python))
    return (means.uv, "run", *managed, *_offline(means), "python")


def _fetch_python(plan: Plan, means: Means) -> tuple[Step, ...]:
    if plan.interpreter is not None:
        return ()
    argv = (means.uv, "python", "install", *_offline(means), means.python_key or str(plan.python))
    return (Run(argv=argv, why=f"fetch Python {plan.python}, if uv has none yet"),)


def _venv(plan: Plan, means: Means, folder: str, *flags: str) -> tuple[str, ...]:
    """What is in the folder already stays."""
    managed = ("--managed-python", "--python", str(plan.python))
    python = managed if plan.interpreter is None else ("--python", plan.interpreter)
    options = ("--quiet", "--no-project", "--allow-existing", *flags, *_offline(means))
    return (means.uv, "venv", *options, *python, folder)


def _target(plan: Plan, means: Means) -> tuple[str, ...]:
    """The very Python where it is known: then every marker is exact."""
    if means.foreign or plan.interpreter is None:
        return ("--python-version", str(plan.python), *_platform(plan, means))
    return ("--python", plan.interpreter)


def _platform(plan: Plan, means: Means) -> tuple[str, ...]:
    platform = uv_platform(plan.target) if means.foreign else None
    return () if platform is None else ("--python-platform", platform)


def _deployment(plan: Plan, means: Means) -> tuple[tuple[str, str], ...]:
    """A platform of uv names no macOS release; without this one uv takes the oldest that it knows."""
    release = plan.target.release
    if not means.foreign or plan.target.os != "macos" or isinstance(release, Unknown):
        return ()
    return (("MACOSX_DEPLOYMENT_TARGET", str(release)),)


def source_words(means: Means) -> tuple[str, ...]:
    """The options of uv that say where packages may come from."""
    words: list[str] = []
    for index in means.extra_indexes:
        address = index.url or ""
        if index.name == "default":
            words += ["--default-index", address]
        else:
            words += ["--index", f"{index.name}={address}" if index.name else address]
    return (*words, *_network(means))


def _network(means: Means) -> tuple[str, ...]:
    links = [word for link in means.find_links for word in ("--find-links", link)]
    return (*links, *_offline(means))


def _offline(means: Means) -> tuple[str, ...]:
    return ("--offline",) if means.offline else ()
