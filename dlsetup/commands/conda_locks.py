"""Explicit locks of conda packages for the platforms of plans: solved for the targets."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from msgspec.structs import replace
from packaging.version import InvalidVersion, Version

from dlsetup.act.conda_solving import Solve, solver
from dlsetup.act.interruption import interruptible
from dlsetup.act.rattler import CondaRefusal
from dlsetup.act.uv import find_uv
from dlsetup.catalog.conda import conda_packages
from dlsetup.commands.conda_builds import learned_of, platform_of
from dlsetup.commands.conda_words import wish_for
from dlsetup.commands.resolve_lock import note_for
from dlsetup.judge.locked_conda import judge_conda_lock
from dlsetup.model.addresses import channel_of, of_conda
from dlsetup.model.conda import CondaSolution, CondaWish
from dlsetup.model.errors import StepFailed, UsageError
from dlsetup.model.framework import Catalog
from dlsetup.model.locked import CondaLocked, LockNote, LockPick
from dlsetup.model.resolution import Plan, Together
from dlsetup.model.wish import Wish
from dlsetup.plan.conda_lock import CondaLock, lock_name
from dlsetup.plan.conda_platform import shared, subdir_of
from dlsetup.plan.lock_project import Group, as_one

FORM = "conda-lock"
_HINT = f"leave out `--form {FORM}`"


class Taught(Exception):
    """A solver refuses a plan, and the catalog that has learned of it may give another."""

    def __init__(self, error: CondaRefusal, catalog: Catalog) -> None:
        super().__init__(error.message)
        self.error = error
        self.catalog = catalog


class Solving:
    """Finds the locks of plans; the solver is looked for once."""

    def __init__(self, wish: Wish, *, offline: bool) -> None:
        self._wish = wish
        self._offline = offline
        self._solve: Solve | None = None
        self.notes: list[str] = []

    def locks(self, answer: Together, catalog: Catalog, learned: tuple[str, ...]) -> tuple[CondaLock, ...]:
        """Raises `Taught`, `UsageError` for what conda-forge lacks, `ToolMissing` without a solver."""
        groups: dict[str, list[Plan]] = {}
        for plan in answer.plans:
            groups.setdefault(subdir_of(plan.target), []).append(plan)
        wanted = [(tuple(group), _wish_of(as_one(tuple(group)), catalog)) for group in groups.values()]
        return tuple(self._lock(group, wish, answer, catalog, learned) for group, wish in wanted)

    def _lock(
        self, group: Group, wish: CondaWish, answer: Together, catalog: Catalog, learned: tuple[str, ...]
    ) -> CondaLock:
        platform = shared([platform_of(plan, catalog) for plan in group])
        try:
            with interruptible():
                solution = self._solver()(wish, platform)
        except CondaRefusal as error:
            raise Taught(error, learned_of(error, group[0], catalog)) from error
        self.notes += (note for note in (*platform.assumed, *_places(solution)) if note not in self.notes)
        note = note_for(self._wish, catalog, replace(answer, plans=group), group, learned)
        lock = CondaLock(solution=solution, note=_solved(note, solution))
        _must_serve(lock, group, catalog)
        return lock

    def _solver(self) -> Solve:
        if self._solve is None:
            environ, seen = os.environ, sys.stderr.isatty()
            self._solve = solver(environ, find_uv(environ), offline=self._offline, seen=seen)
        return self._solve


def _must_serve(lock: CondaLock, group: Group, catalog: Catalog) -> None:
    """Raises `StepFailed` where what was solved does not serve one of the targets after all."""
    locked = CondaLocked(path=lock_name(lock.solution.subdir), solution=lock.solution, note=lock.note)
    for plan in group:
        against = judge_conda_lock(locked, plan.target, catalog).findings
        errors = [item for item in against if item.severity == "error"]
        if errors:
            raise StepFailed(
                f"the lock would not serve {plan.target.name}: {errors[0].because}",
                hint="ask for other versions or another CUDA, or for a lock of its own for that target.",
            )


def _wish_of(plan: Plan, catalog: Catalog) -> CondaWish:
    wish = wish_for(plan, catalog, hint=_HINT)
    left = [text for text in wish.pip if not text.startswith("--")]
    if left:
        raise UsageError(
            f"an explicit lock holds conda packages alone, and of conda-forge no {', '.join(left)} is known",
            hint="`--form conda` leaves it to pip, `--form pixi` takes wheels",
        )
    return wish


def _places(solution: CondaSolution) -> Iterator[str]:
    """Addresses of which something cannot be kept, or that are not everybody's."""
    for channel in dict.fromkeys(item.url.rpartition("/")[0] for item in solution.packages):
        if of_conda(channel) != channel:
            yield f"{channel_of(channel)} is written without its login, which conda's settings may hold"
        elif channel.startswith("file:"):
            yield f"{channel_of(channel)} is a folder: the lock serves where it is there too"


def _solved(note: LockNote, solution: CondaSolution) -> LockNote:
    """The builds that the solver chose, in place of those that the plan knows."""
    names = {item.distribution: item.built or item.name for item in conda_packages()}
    return replace(note, picks=tuple(_pick(item, names, solution) for item in note.picks))


def _pick(pick: LockPick, names: dict[str, str], solution: CondaSolution) -> LockPick:
    name = names.get(pick.framework, pick.framework)
    found = next((item for item in solution.packages if item.name == name), None)
    if found is None:
        return pick
    try:
        version = Version(found.version)
    except InvalidVersion:
        version = pick.version
    return replace(pick, version=version, variant=found.build, index=channel_of(found.url.rpartition("/")[0]))
