"""`dlsetup history`: what was done to environments, what of it can be taken back, and what that costs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

from dlsetup.act.journal import Journal
from dlsetup.act.keeping import KEPT, forget, is_kept, room
from dlsetup.act.recovery import unfinished
from dlsetup.act.turn import is_left, is_taken
from dlsetup.act.undoing import Standing, is_deleted, standing
from dlsetup.commands.turns import amount, journal_of, own_turn, path_of
from dlsetup.model.errors import StepFailed, UsageError
from dlsetup.model.journal import Entry
from dlsetup.model.record import Record
from dlsetup.probe.host import Host
from dlsetup.show import json
from dlsetup.show.agreement import DECLINED, agreed, must_be_able_to_ask
from dlsetup.show.history import HistoryDocument, Past, history_lines
from dlsetup.show.lines import Line, write
from dlsetup.show.words import counted, size

ALL = "all"


class Request(Record, frozen=True, kw_only=True):
    """The words of `history`, as they were typed."""

    environment: str | None = None
    forget: tuple[str, ...] = ()
    """Ids, or `all`."""
    older_than: str | None = None
    """Days."""
    yes: bool = False
    as_json: bool = False


def run(request: Request) -> int:
    """0: the table; 130: the user says no."""
    if request.older_than is not None and ALL not in request.forget:
        raise UsageError("`--older-than` bounds what is forgotten.", hint="add `--forget all`.")
    host = Host.here(os.environ)
    journal = journal_of(host)
    environment = (
        None if request.environment is None else os.path.realpath(path_of(host, request.environment))
    )
    notes = tuple(_put_right(host, journal, environment))
    chosen = tuple(_chosen(request, journal, environment))
    if request.forget and not request.yes and chosen:
        must_be_able_to_ask(hint="`--yes` forgets without a question.")
        weight = sum(found for entry in chosen if isinstance(found := room(entry), int))
        if not agreed(f"Remove {counted(len(chosen), 'former environment')}, {size(weight)}?"):
            write([Line(text="Nothing was changed.")])
            return DECLINED
    for entry in chosen:
        with own_turn(host, entry.environment):
            if is_kept(entry):
                forget(journal, entry)
    _show(request, journal, environment, HistoryDocument(forgotten=tuple(e.id for e in chosen), notes=notes))
    return 0


def _show(request: Request, journal: Journal, environment: str | None, said: HistoryDocument) -> None:
    entries = journal.entries(environment)
    latest = {entry.environment: entry.id for entry in entries if entry.state == "applied"}
    changes = tuple(_past(journal, entry, latest.get(entry.environment) == entry.id) for entry in entries)
    if request.as_json:
        json.write(HistoryDocument(changes=changes, forgotten=said.forgotten, notes=said.notes))
        return
    write(Line(mark="·", text=note, style="note") for note in said.notes)
    if said.forgotten:
        write([Line(mark="✓", text=f"{counted(len(said.forgotten), 'former environment')} removed.")])
    write(history_lines(changes, KEPT))


def _past(journal: Journal, entry: Entry, latest: bool) -> Past:
    found = _drift(journal, entry)
    return Past(
        entry=entry,
        kept=is_kept(entry),
        deleted=is_deleted(entry),
        damaged=found.damaged,
        later=found.later if latest else (),
        room=room(entry),
    )


def _drift(journal: Journal, entry: Entry) -> Standing:
    """Nothing where it cannot be told."""
    if not is_kept(entry):
        return Standing()
    try:
        return standing(journal, entry, hashes=False)
    except StepFailed:
        return Standing()


def _put_right(host: Host, journal: Journal, environment: str | None) -> Iterator[str]:
    """What killed runs left, of every environment that is shown and that nobody works on."""
    asked = {environment} if environment else set()
    for path in sorted({entry.environment for entry in journal.entries(environment)} | asked):
        place = Path(path)
        left = unfinished(journal, place) or is_left(journal.state, place)
        if left and not is_taken(journal.state, place):
            with own_turn(host, path) as (_, said):
                yield from said


def _chosen(request: Request, journal: Journal, environment: str | None) -> Iterator[Entry]:
    """What is to be forgotten. Raises `UsageError`."""
    for name in request.forget:
        if name != ALL:
            entry = journal.named(name)
            if not is_kept(entry):
                raise UsageError(
                    f"of {entry.id} no former environment is kept here.",
                    hint="`dlsetup history` shows which.",
                )
            yield entry
            continue
        days = amount(request.older_than or "0", "--older-than")
        latest = datetime.now(timezone.utc) - timedelta(days=days)
        for entry in journal.entries(environment):
            if is_kept(entry) and datetime.fromisoformat(entry.began) <= latest:
                yield entry
