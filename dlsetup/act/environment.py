"""Builds of an environment: with uv beside its place, with a conda tool in its place.

Both go the same way: `prepare`, `install`, then somebody proves that it works, then `settle`. Until then
nothing is at the place that stays; `workplace` takes back what was begun.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Protocol

from dlsetup.act.carry_out import carry_out, write
from dlsetup.act.conda import run_conda
from dlsetup.act.interruption import undisturbed
from dlsetup.act.uv import Watched, run_uv
from dlsetup.act.workplace import put_into_place, remove
from dlsetup.model import codec
from dlsetup.model.outcome import Passport
from dlsetup.model.resolution import Plan
from dlsetup.model.steps import Procedure, Run, Step, Write
from dlsetup.plan.conda import CondaTool, conda_procedure, conda_python
from dlsetup.plan.environment import (
    Means,
    Place,
    activation_step,
    build_steps,
    environment_procedure,
    lock_steps,
    locked_procedure,
)
from dlsetup.plan.lock import Lock, read_lock

Runner = Callable[[Run], None]
"""Runs one program and raises what its failure means."""


def uv_runner(environ: Mapping[str, str], *, seen: bool, watched: Watched | None = None) -> Runner:
    """Runs the steps of uv. `seen`: the user watches the progress, as `watched` shows it."""

    def run(step: Run) -> None:
        run_uv(step.argv, {**environ, **dict(step.env)}, seen=seen, watched=watched)

    return run


def conda_runner(environ: Mapping[str, str], *, seen: bool) -> Runner:
    """Runs the steps of a conda tool."""
    return partial(run_conda, environ=environ, seen=seen)


class Build(Protocol):
    """One way to build an environment."""

    passport: Passport
    """What is kept in it of why it is as it is."""

    @property
    def python(self) -> str:
        """Its Python, once it is installed and before it is settled."""

    @property
    def activate(self) -> str:
        """The command that activates it in its place."""

    @property
    def lock_path(self) -> str | None:
        """Where the lock lies once it is settled."""

    def procedure(self) -> Procedure:
        """All steps, to be shown."""

    def prepare(self) -> Iterator[Step]:
        """Everything that can be found out before something large is fetched."""

    def lock(self) -> Lock | None:
        """What is to be fetched, after `prepare`; None: only the tool knows."""

    def install(self) -> Iterator[Step]:
        """Fetches and installs."""

    def settle(self) -> None:
        """Makes it stay."""


class UvBuild:
    """Built by uv in the neighbour of its place."""

    def __init__(self, plan: Plan, place: Place, means: Means, passport: Passport, run: Runner) -> None:
        self.plan = plan
        self.place = place
        self.means = means
        self.passport = passport
        self.run = run

    @property
    def python(self) -> str:
        return self.place.python

    @property
    def activate(self) -> str:
        if self.place.windows:
            return f"& '{self.place.final}\\Scripts\\Activate.ps1'"
        return f"source {shlex.quote(f'{self.place.final}/bin/activate')}"

    @property
    def lock_path(self) -> str:
        return self.place.lock.replace(self.place.work, self.place.final, 1)

    def procedure(self) -> Procedure:
        return environment_procedure(self.plan, self.place, self.means, self.passport)

    def prepare(self) -> Iterator[Step]:
        steps = lock_steps(self.plan, self.place, self.means)
        yield from carry_out(steps, self.run)
        # They may hold the password of an index; what they said is in the lock and in `dlsetup.json`.
        for name in ("pyproject.toml", "constraints.txt"):
            Path(self.place.inside("dlsetup", name)).unlink()

    def lock(self) -> Lock:
        return read_lock(Path(self.place.lock).read_text("utf-8"))

    def install(self) -> Iterator[Step]:
        return carry_out(build_steps(self.plan, self.place, self.means, self.passport), self.run)

    def settle(self) -> None:
        # Short, and half of it must not stay: an interruption has to wait.
        with undisturbed():
            put_into_place(self.place)
            try:
                self.run(activation_step(self.plan, self.place, self.means))
            except BaseException:
                remove(Path(self.place.final))
                raise


class LockedBuild(UvBuild):
    """Built from a lock that is there. `copied`: where it lies, and what is kept of it."""

    def __init__(
        self,
        plan: Plan,
        place: Place,
        means: Means,
        passport: Passport,
        run: Runner,
        copied: tuple[str, Write],
    ) -> None:
        super().__init__(plan, place, means, passport, run)
        self.source, self.kept = copied

    @property
    def lock_path(self) -> str:
        return self.kept.path.replace(self.place.work, self.place.final, 1)

    def procedure(self) -> Procedure:
        return locked_procedure(self.plan, self.place, self.means, self.passport, (self.kept, self.source))

    def prepare(self) -> Iterator[Step]:
        return carry_out([self.kept], self.run)

    def lock(self) -> Lock:
        if self.source.endswith(".toml"):
            return read_lock(Path(self.source).read_text("utf-8"))
        return Lock(packages=len(self.plan.requirements))

    def install(self) -> Iterator[Step]:
        steps = build_steps(self.plan, self.place, self.means, self.passport, self.source)
        return carry_out(steps, self.run)


class CondaBuild:
    """Built by a conda tool in its place: its files hold the path, so it cannot be moved there."""

    def __init__(
        self, place: Place, tool: CondaTool, steps: tuple[Step, ...], passport: Passport, run: Runner
    ) -> None:
        self.place = place
        self.tool = tool
        self.steps = steps
        self.passport = passport
        self.run = run

    @property
    def python(self) -> str:
        return conda_python(self.tool, self.place)

    @property
    def activate(self) -> str:
        final = shlex.quote(self.place.final)
        if self.tool.name == "pixi":
            return f"pixi shell --manifest-path {final}"
        return f"{self.tool.name} activate {final}"

    @property
    def lock_path(self) -> None:
        return None

    def procedure(self) -> Procedure:
        return conda_procedure(self.steps, self.place)

    def prepare(self) -> Iterator[Step]:
        return carry_out([step for step in self.steps if isinstance(step, Write)], self.run)

    def lock(self) -> None:
        return None

    def install(self) -> Iterator[Step]:
        return carry_out([step for step in self.steps if isinstance(step, Run)], self.run)

    def settle(self) -> None:
        text = codec.encode(self.passport, indent=2).decode() + "\n"
        write(Write(path=os.path.join(self.place.final, "dlsetup.json"), text=text, why=""))
