"""The lock of `resolve --lock`: made by uv, held against every target, then written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import tomli
from msgspec.structs import replace

from dlsetup import __version__
from dlsetup.act.saving import save
from dlsetup.commands.builds import Request as Sources
from dlsetup.commands.locking import make_lock
from dlsetup.commands.resolve import Request, answer_for
from dlsetup.intake.lock import parse
from dlsetup.intake.target import describe
from dlsetup.judge.locked import judge_lock
from dlsetup.model.errors import StepFailed, UsageError
from dlsetup.model.framework import Catalog
from dlsetup.model.locked import LockNote
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.resolution import Conflict, Plan, Together
from dlsetup.model.target import Target
from dlsetup.model.wish import Wish
from dlsetup.plan.indexes import parse_index, with_addresses, without_secrets
from dlsetup.plan.lock_project import platforms_of
from dlsetup.plan.lock_text import as_pylock, as_requirements, is_pylock, picks_of, targets_of
from dlsetup.probe.host import Host
from dlsetup.show.json import WrittenLock


class Locked(NamedTuple):
    """What came of it."""

    answer: Plan | Together | Conflict
    lock: WrittenLock | Unknown = UNKNOWN
    learned: tuple[str, ...] = ()
    """Told where no lock was written."""


def check_name(file: str) -> None:
    """Raises `UsageError` for a file whose name says no form."""
    name = os.path.basename(file)
    if not is_pylock(name) and not name.endswith(".txt"):
        raise UsageError(
            f"the name of the lock `{file}` says no form",
            hint="`pylock.toml` or `pylock.NAME.toml` for PEP 751, `….txt` for requirements",
        )


def write_lock(
    request: Request, wishes: tuple[Wish, ...], targets: tuple[Target, ...], catalog: Catalog
) -> Locked:
    """Make the lock and write it. Nothing is written where it would not serve one of the targets."""
    file = request.lock or ""
    made = made_lock(request, wishes, targets, catalog)
    if isinstance(made, Refused):
        return Locked(made.answer, learned=made.learned)
    form = as_pylock if is_pylock(os.path.basename(file)) else as_requirements
    text = form(made.text, made.note, made.plans)
    must_serve(text, file, targets, catalog)
    save(Path(file), text)
    lock = WrittenLock(
        path=file,
        form="pylock" if form is as_pylock else "requirements",
        packages=len({row["name"] for row in tomli.loads(made.text).get("packages", [])}),
        learned=made.note.learned,
    )
    return Locked(made.answer, lock)


class Made(NamedTuple):
    """A lock in uv's words, with the plans that it holds and the reasons."""

    answer: Plan | Together
    plans: tuple[Plan, ...]
    text: str
    note: LockNote


class Refused(NamedTuple):
    """What stands against a lock."""

    answer: Conflict
    learned: tuple[str, ...] = ()


def made_lock(
    request: Request, wishes: tuple[Wish, ...], targets: tuple[Target, ...], catalog: Catalog
) -> Made | Refused:
    """The lock as uv writes it, before it has a form or a place."""
    question = replace(request.question, target="" if request.places.foreign else None)
    sources = Sources(
        name=request.lock or "",
        question=question,
        indexes=request.indexes,
        find_links=request.find_links,
        offline=request.offline,
    )

    def solve(known: Catalog) -> Together | Conflict:
        answer = answer_for(wishes, targets, known)
        return Together(plans=(answer,)) if isinstance(answer, Plan) else answer

    # Nothing is installed here, so no Python is fetched: uv locks for another version with the one it finds.
    made = make_lock(solve, catalog, sources, Host.here({**os.environ, "UV_PYTHON_DOWNLOADS": "never"}))
    if isinstance(made.answer, Conflict):
        return Refused(made.answer, made.learned)
    plans = plans_to_keep(made.answer.plans, request.indexes, catalog)
    answer = plans[0] if len(plans) == 1 else replace(made.answer, plans=plans)
    return Made(answer, plans, made.text, note_for(wishes[0], catalog, made.answer, plans, made.learned))


def plans_to_keep(plans: tuple[Plan, ...], indexes: tuple[str, ...], catalog: Catalog) -> tuple[Plan, ...]:
    """The plans with the addresses that were given, and without what must not be kept of these."""
    given = [parse_index(text) for text in indexes]
    located = (with_addresses(plan, given, catalog.indexes)[0] for plan in plans)
    return tuple(map(without_secrets, located))


def note_for(
    wish: Wish, catalog: Catalog, answer: Together, plans: tuple[Plan, ...], learned: tuple[str, ...]
) -> LockNote:
    """What dlsetup writes into a lock of its own."""
    told = (*answer.because, *(text for plan in plans for text in plan.because))
    # Where a Python lies is the affair of one machine.
    reasons = dict.fromkeys(text for text in told if not text.startswith(f"Python {plans[0].python}"))
    return LockNote(
        version=__version__,
        catalog_checked=catalog.checked,
        python=plans[0].python,
        wish=tuple(item.text or item.framework for item in wish.wanted),
        because=tuple(reasons),
        learned=learned,
        platforms=platforms_of(plans),
        targets=targets_of(plans, [_words(plan.target) for plan in plans]),
        picks=picks_of(plans),
    )


def _words(target: Target) -> str:
    """Without the Pythons: that of the lock stands beside."""
    return describe(replace(target, pythons=UNKNOWN))


def must_serve(text: str, file: str, targets: tuple[Target, ...], catalog: Catalog) -> None:
    """Raises `StepFailed` where the lock that was made does not serve one of the targets after all."""
    locked = parse(text, Path(file))
    for target in targets:
        errors = [item for item in judge_lock(locked, target, catalog).findings if item.severity == "error"]
        if errors:
            raise StepFailed(
                f"the lock would not serve {target.name}: {errors[0].because}",
                hint="ask for other versions, or for a lock of its own for that target.",
            )
