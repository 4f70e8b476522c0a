"""An environment of conda packages by the embedded solver and installer, built in its place."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import PurePath

from dlsetup.act.carry_out import carry_out, write
from dlsetup.act.environment import Runner
from dlsetup.act.rattler import CHILD, solution_at
from dlsetup.model import codec
from dlsetup.model.conda import CondaSolution
from dlsetup.model.locked import LockNote
from dlsetup.model.outcome import Passport
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.steps import Procedure, Run, Step, Write
from dlsetup.plan.conda_lock import explicit_lock, lock_name
from dlsetup.plan.environment import Place
from dlsetup.plan.lock import Lock
from dlsetup.plan.rattler import Job, rattler_procedure, weight


class RattlerBuild:
    """Solved before the question, so that its size is exact; installed after it."""

    def __init__(
        self,
        place: Place,
        job: Job,
        steps: tuple[Step, ...],
        passport: Passport,
        runners: tuple[Runner, Runner],
        assumed: tuple[str, ...],
        note: LockNote | Unknown = UNKNOWN,
    ) -> None:
        self.place = place
        self.job = job
        self.passport = passport
        self.assumed = assumed
        self._note = note
        self._steps = steps
        self._solve, self._other = runners
        """Runs the child; runs every other program."""
        self._solution: CondaSolution | None = None

    @property
    def python(self) -> str:
        return f"{self.place.final}/python.exe" if self.place.windows else f"{self.place.final}/bin/python"

    @property
    def activate(self) -> str:
        """No conda tool is needed to use it: its programs only have to be found first."""
        final = PurePath(self.place.final)
        if self.place.windows:
            folders = ";".join(str(final / name) for name in ("", "Library/bin", "Scripts"))
            return f"$env:PATH = '{folders};' + $env:PATH".replace("/", "\\")
        return f'export PATH={shlex.quote(str(final / "bin"))}:"$PATH"'

    @property
    def lock_path(self) -> str | None:
        if self._solution is None:
            return None
        return os.path.join(self.place.final, "dlsetup", lock_name(self._solution.subdir))

    def procedure(self) -> Procedure:
        return rattler_procedure(self._steps, self.place, self.assumed)

    def prepare(self) -> Iterator[Step]:
        os.makedirs(os.path.dirname(self.job.answer), exist_ok=True)
        yield from carry_out(self._steps[: self._begin()], self._run)
        self._solution = solution_at(self.job.answer)

    def lock(self) -> Lock | None:
        return None if self._solution is None else weight(self._solution)

    def install(self) -> Iterator[Step]:
        return carry_out(self._steps[self._begin() :], self._run)

    def settle(self) -> None:
        if self._solution is not None and self.lock_path is not None:
            write(Write(path=self.lock_path, text=explicit_lock(self._solution, self._note), why=""))
        text = codec.encode(self.passport, indent=2).decode() + "\n"
        write(Write(path=os.path.join(self.place.final, "dlsetup.json"), text=text, why=""))

    def _begin(self) -> int:
        """Index of the first step that fetches something large."""
        return next(
            i for i, step in enumerate(self._steps) if isinstance(step, Run) and "install" in step.argv
        )

    def _run(self, step: Run) -> None:
        (self._solve if CHILD in step.argv else self._other)(step)
