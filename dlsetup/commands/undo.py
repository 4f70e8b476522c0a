"""`dlsetup undo`: a former environment takes its place again; the present one is kept in its stead."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dlsetup.act.interruption import interruptible
from dlsetup.act.journal import Journal
from dlsetup.act.keeping import forget_old, is_kept, room
from dlsetup.act.large_files import Unlike, compare_with_records
from dlsetup.act.readiness import in_the_way
from dlsetup.act.undoing import all_moves, is_deleted, missing, standing, undo
from dlsetup.commands.turns import amount, half_done, journal_of, own_turn, path_of
from dlsetup.model.errors import StepFailed, UsageError
from dlsetup.model.journal import Entry
from dlsetup.model.record import Record
from dlsetup.probe.host import Host
from dlsetup.show import json
from dlsetup.show.agreement import DECLINED, agreed, meanwhile, must_be_able_to_ask
from dlsetup.show.history import UndoDocument, kept_lines, move_lines
from dlsetup.show.lines import Line
from dlsetup.show.words import counted, few

FORCE = "`--force` goes ahead: the present environment is kept too, so nothing is lost."


class Request(Record, frozen=True, kw_only=True):
    """The words of `undo`, as they were typed."""

    change: str | None = None
    environment: str | None = None
    wait: str = "10"
    """Seconds to wait for another dlsetup that is at work on the environment."""
    force: bool = False
    verify_hashes: bool = False
    """Whether the big files of the former environment are read too."""
    dry_run: bool = False
    yes: bool = False
    as_json: bool = False


@dataclass(frozen=True)
class Task:
    request: Request
    host: Host
    journal: Journal
    environment: str
    notes: tuple[str, ...]


def run(request: Request) -> int:
    """0: taken back; 1: it cannot be, or there is nothing; 130: the user says no."""
    host = Host.here(os.environ)
    environment = _environment(request, host)
    if request.dry_run:
        note = half_done(host, environment)
        return _answer(Task(request, host, journal_of(host), environment, (note,) if note else ()))
    if not request.yes:
        must_be_able_to_ask(hint="`--yes` goes ahead without a question, `--dry-run` shows what it would do.")
    with interruptible(), own_turn(host, environment, amount(request.wait, "--wait")) as (journal, notes):
        return _answer(Task(request, host, journal, environment, notes))


def _environment(request: Request, host: Host) -> str:
    """Raises `UsageError` for an id that is none, or that of another environment."""
    asked = None if request.environment is None else os.path.realpath(path_of(host, request.environment))
    if request.change is None:
        return asked or os.path.realpath(path_of(host, None))
    entry = journal_of(host).named(request.change)
    if asked not in (None, entry.environment):
        raise UsageError(
            f"{entry.id} changed `{entry.environment}`, not `{asked}`.", hint="leave `--env` or the id out."
        )
    return entry.environment


def _answer(task: Task) -> int:
    _say(task, *(Line(mark="·", text=note, style="note") for note in task.notes))
    entry = _meant(task)
    if entry is None:
        return _nothing(task)
    reason, hint = _against(task, entry)
    if reason:
        _say(task, Line(mark="✗", text=reason, style="bad"))
        _say(task, *([Line(mark="hint:", text=hint, style="good")] if hint else []))
        _tell(task, ok=False, result="refused", undoes=entry.id, refused=f"{reason} {hint}".strip())
        return 1
    moves = tuple(all_moves(Path(entry.environment), entry))
    _say(task, *move_lines(entry, moves, deleted=is_deleted(entry)))
    if task.request.dry_run:
        _tell(task, ok=True, result="planned", undoes=entry.id, moves=moves)
        return 0
    if not task.request.yes and not agreed(f"Put the former {entry.environment} back?"):
        _say(task, Line(text="Nothing was changed."))
        _tell(task, ok=False, result="declined", undoes=entry.id)
        return DECLINED
    return _take_back(task, entry, moves)


def _take_back(task: Task, entry: Entry, moves: tuple[str, ...]) -> int:
    change = undo(task.journal, entry)
    forget_old(task.journal, entry.environment)
    _say(task, Line(mark="✓", text=f"{entry.environment} is as it was before {entry.id}.", style="good"))
    if change.folder:
        _say(task, *kept_lines(change, room(change)))
    _tell(task, ok=True, result="undone", undoes=entry.id, moves=moves, change=change)
    return 0


def _meant(task: Task) -> Entry | None:
    """The one that is named, else the latest repair that can be: a second undo goes one further."""
    if task.request.change is not None:
        return task.journal.named(task.request.change)
    entries = reversed(task.journal.entries(task.environment))
    return next((entry for entry in entries if entry.kind == "fix" and is_kept(entry)), None)


def _against(task: Task, entry: Entry) -> tuple[str, str]:
    """Why the change is not taken back, and what helps; both empty: nothing is in the way."""
    reason = missing(entry) or (None if task.request.dry_run else in_the_way(Path(entry.environment)))
    if reason is not None:
        return reason, ""
    if task.request.force:
        return "", ""
    found = standing(task.journal, entry)
    if found.unknown:
        return f"whether the former environment is whole cannot be told: {found.unknown}.", FORCE
    if found.damaged:
        return f"the former environment is not what it was: {few(found.damaged)} changed in it.", FORCE
    if found.later:
        return f"`{entry.environment}` has changed since {entry.id}: {few(found.later)}.", FORCE
    return _against_content(task, entry) if task.request.verify_hashes else ("", "")


def _against_content(task: Task, entry: Entry) -> tuple[str, str]:
    """The same of the big files of the former environment, which are read for it."""
    found = _read(task, entry)
    if found.unlisted:
        files = counted(found.unlisted, "big file")
        text = f"no record has a hash of {files}: there size and time were compared"
        _say(task, Line(mark="·", text=text, style="note"))
    if not found.files:
        return "", ""
    text = (
        f"the former environment holds files that differ from what their distributions brought: "
        f"{few(found.files)}; whether they did so before {entry.id} is not known."
    )
    return text, FORCE


def _read(task: Task, entry: Entry) -> Unlike:
    """Raises `StepFailed`."""
    try:
        return compare_with_records(task.host, Path(entry.former))
    except OSError as error:
        raise StepFailed(f"`{error.filename}` cannot be read: {error.strerror}.") from error


def _nothing(task: Task) -> int:
    text = f"No repair of {task.environment} can be taken back."
    _say(task, Line(text=text), Line(mark="hint:", text="`dlsetup history` shows all changes.", style="good"))
    _tell(task, ok=False, result="nothing-to-undo")
    return 1


def _say(task: Task, *lines: Line) -> None:
    asks = not (task.request.yes or task.request.dry_run)
    meanwhile(lines, as_json=task.request.as_json, asks=asks)


def _tell(task: Task, **words: Any) -> None:
    """The one document, for those who asked for it."""
    if task.request.as_json:
        json.write(UndoDocument(environment=task.environment, notes=task.notes, **words))
