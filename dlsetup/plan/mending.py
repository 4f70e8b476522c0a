"""The steps of a repair: what is written and run, in which order."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath

from msgspec.structs import replace

from dlsetup.model.record import Record
from dlsetup.model.repair import Intent, Repair
from dlsetup.model.resolution import Plan
from dlsetup.model.steps import Procedure, Remove, Run, Step, Write
from dlsetup.plan.conda_steps import conda_steps
from dlsetup.plan.environment import Means, source_words
from dlsetup.plan.toml import pyproject

LOCK = "pylock.toml"
"""uv reads and writes locks only under a name of PEP 751."""


class Bench(Record, frozen=True, kw_only=True):
    """The environment that is worked on and a folder for what uv is told. Paths."""

    environment: str
    folder: str
    windows: bool = False
    conda: bool = False

    @property
    def python(self) -> str:
        if self.windows:
            folder = () if self.conda else ("Scripts",)
            return str(PureWindowsPath(self.environment, *folder, "python.exe"))
        return str(PurePosixPath(self.environment, "bin", "python"))

    def inside(self, path: str) -> str:
        """A file of the environment, by its path with `/` from there."""
        kind = PureWindowsPath if self.windows else PurePosixPath
        return str(kind(self.environment, *path.split("/")))

    def note(self, name: str) -> str:
        """Path of a file for uv."""
        kind = PureWindowsPath if self.windows else PurePosixPath
        return str(kind(self.folder, name))


def forecast_steps(intent: Intent, bench: Bench, means: Means, *, alone: bool = False) -> tuple[Step, ...]:
    """What makes uv say what it would move, without moving it. `alone`: without what else is installed."""
    others = () if alone else intent.others
    flags = ("--dry-run", "--exact", "--output-format", "json")
    return (
        *_wanted(intent.plan, (*intent.plan.requirements, *others), intent.plan.constraints, bench),
        *_install(intent, bench, means, flags, "ask uv what that moves"),
    )


def weighing_steps(repair: Repair, bench: Bench, means: Means) -> tuple[Step, ...]:
    """What makes uv lock the files that will be fetched, to know that they exist and what they weigh."""
    fetched = tuple(f"{item.distribution}=={item.after}" for item in repair.changes if item.after)
    lock = ("--no-deps", "--format", "pylock.toml", "--output-file", bench.note(LOCK))
    words = (means.uv, "pip", "compile", "--quiet", *source_words(means), "--python", bench.python)
    return (
        *_wanted(repair.intent.plan, fetched, (), bench),
        Run(argv=(*words, *lock, bench.note("pyproject.toml")), why="weigh what is to be fetched"),
    )


def mending_steps(repair: Repair, bench: Bench, means: Means, *, alone: bool = False) -> tuple[Step, ...]:
    """What mends the environment on the bench."""
    gone = (item for item in repair.files if item.text is None)
    return (
        *(Remove(path=bench.inside(item.path), why=item.because) for item in gone),
        *_package_steps(repair, bench, means, alone=alone),
        *(
            Write(path=bench.inside(item.path), text=item.text, why=item.because)
            for item in repair.files
            if item.text is not None
        ),
    )


def _package_steps(repair: Repair, bench: Bench, means: Means, *, alone: bool) -> tuple[Step, ...]:
    intent = repair.intent
    steps: tuple[Step, ...] = ()
    if repair.remove:
        argv = (means.uv, "pip", "uninstall", "--python", bench.python, *repair.remove)
        steps = (Run(argv=argv, why="remove what must not stay"),)
    if repair.conda is not None:
        steps = (*steps, *conda_steps(repair.conda, bench.environment))
    rewritten = tuple(pin.partition("==")[0] for pin in repair.rewrite)
    if not any(item.after for item in repair.changes):
        return steps
    wanted = (*intent.plan.requirements, *(() if alone else intent.others), *repair.rewrite)
    return (
        *steps,
        *_wanted(intent.plan, wanted, intent.plan.constraints, bench),
        *_install(intent, bench, means, _again(rewritten), "install what is wanted"),
    )


def mending_procedure(repair: Repair, bench: Bench, means: Means, *, alone: bool = False) -> Procedure:
    """All steps as they would be done by hand, in the environment itself."""
    note = "dlsetup does this in a copy, which takes the place of the environment only if it is well."
    if bench.conda:
        note = (
            "dlsetup keeps the environment beside its place meanwhile, and gives it back unless all is well."
        )
    return Procedure(
        title=f"Steps to mend {bench.environment}",
        steps=mending_steps(repair, bench, means, alone=alone),
        notes=(note,),
    )


def _wanted(
    plan: Plan, requirements: tuple[str, ...], bounds: tuple[str, ...], bench: Bench
) -> tuple[Step, ...]:
    text = pyproject(replace(plan, requirements=requirements))
    return (
        Write(path=bench.note("pyproject.toml"), text=text, why="say what is wanted"),
        Write(
            path=bench.note("constraints.txt"),
            text="".join(f"{item}\n" for item in bounds),
            why="bound the rest",
        ),
    )


def _install(
    intent: Intent, bench: Bench, means: Means, options: tuple[str, ...], why: str
) -> tuple[Step, ...]:
    """What asks for a twin that goes must not bring it back: an override that never holds keeps it out."""
    options = (*options, *_again(intent.replace), *source_words(means), "--python", bench.python)
    files: tuple[str, ...] = ("--constraints", bench.note("constraints.txt"))
    files = (*files, "--requirements", bench.note("pyproject.toml"))
    overrides: tuple[Step, ...] = ()
    if intent.twins:
        never = "".join(f"{name}; python_version < '0'\n" for name in intent.twins)
        overrides = (Write(path=bench.note("overrides.txt"), text=never, why="keep out what must not stay"),)
        files = ("--overrides", bench.note("overrides.txt"), *files)
    return (*overrides, Run(argv=(means.uv, "pip", "install", *options, *files), why=why))


def _again(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for name in names for word in ("--reinstall-package", name))
