"""The history of environments in words, and a change that is taken back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Literal

from dlsetup.model.journal import Entry
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.show.lines import Line, Style
from dlsetup.show.words import few, size

_STYLES: dict[str, Style] = {"applied": "good", "begun": "warning"}


class Past(Record, frozen=True, kw_only=True):
    """One change, and what can be done about it."""

    entry: Entry
    kept: bool
    """Whether it can be taken back here."""
    deleted: bool = False
    """Whether somebody deleted the environment, so that taking it back brings one back."""
    damaged: tuple[str, ...] = ()
    """Files of the former environment that are not what they were, by size and time."""
    later: tuple[str, ...] = ()
    """Of the latest change: files of the environment that came or changed since, by size and time."""
    room: int | Unknown
    """Bytes that forgetting the former environment gives back. Blocks shared by reflinks count as well."""


class HistoryDocument(Record, frozen=True, kw_only=True):
    """What was done to environments, the oldest first."""

    schema: Literal["dlsetup.history/1"] = "dlsetup.history/1"
    ok: Literal[True] = True
    changes: tuple[Past, ...] = ()
    forgotten: tuple[str, ...] = ()
    """Ids of changes whose former environment was removed now."""
    notes: tuple[str, ...] = ()


class UndoDocument(Record, frozen=True, kw_only=True):
    """A change that was taken back, would be, or why it is not."""

    schema: Literal["dlsetup.undo/1"] = "dlsetup.undo/1"
    ok: bool
    result: Literal["undone", "planned", "refused", "nothing-to-undo", "declined"]
    environment: str
    undoes: str | Unknown = UNKNOWN
    """Id of the change that is taken back."""
    moves: tuple[str, ...] = ()
    """What differs then, distribution by distribution."""
    refused: str | Unknown = UNKNOWN
    change: Entry | Unknown = UNKNOWN
    """The undo itself, which can be undone by its id."""
    notes: tuple[str, ...] = ()


def history_lines(changes: Sequence[Past], kept: int) -> Iterator[Line]:
    """Two lines a change, the latest last."""
    if not changes:
        yield Line(text="Nothing has been changed yet, as far as the journal tells.")
        return
    for past in changes:
        entry = past.entry
        room = size(past.room) if past.kept else "-"
        head = f"{_when(entry.began)}  {entry.kind:4}  {_state(past):8}  {room:>9}  {entry.environment}"
        yield Line(mark=entry.id, text=head, style=_STYLES.get(entry.state, "faint"), wrap=False)
        why = f" ({entry.why})" if entry.why else ""
        back = f"takes {entry.undoes} back: " if entry.undoes else ""
        yield Line(text=f"{back}{entry.what}{why}", indent=len(entry.id) + 1)
    yield from _deleted_lines(changes)
    yield from _drift_lines(changes)
    yield Line()
    yield Line(
        text="The room is what a former environment takes on its own. The latest "
        f"{kept} of each environment are kept beside it, hidden; `dlsetup history --forget ID` removes one.",
        style="faint",
    )


def _deleted_lines(changes: Sequence[Past]) -> Iterator[Line]:
    """Of each environment that is not there any more, what of it can still be had."""
    kept = {past.entry.environment: past.entry for past in changes if past.deleted and past.kept}
    for path, entry in kept.items():
        yield Line(mark="!", text=f"`{path}` is not there any more.", style="warning")
        text = f"`dlsetup undo {entry.id}` brings back what it was before {entry.id}."
        yield Line(mark="hint:", text=text, style="good")


def _drift_lines(changes: Sequence[Past]) -> Iterator[Line]:
    """What is not as the changes left it."""
    for past in changes:
        entry = past.entry
        if past.damaged:
            text = f"`{entry.former}` is not what {entry.id} replaced: {few(past.damaged)}."
            yield Line(mark="!", text=text, style="warning")
        if past.later:
            text = f"`{entry.environment}` has changed since {entry.id}: {few(past.later)}."
            yield Line(mark="!", text=text, style="warning")


def kept_lines(entry: Entry, room: int | Unknown) -> Iterator[Line]:
    """Where the former environment lies now, and the way back."""
    yield Line(mark="·", text=f"the former one is kept as `{entry.former}` ({size(room)} of its own)")
    yield Line(mark="hint:", text=f"`dlsetup undo {entry.id}` brings it back.", style="good")


def move_lines(entry: Entry, moves: Sequence[str], *, deleted: bool) -> Iterator[Line]:
    """What taking a change back moves. `deleted`: the environment is not there any more."""
    if deleted:
        text = f"{entry.environment} is not there any more; what it was before {entry.id} comes back."
        yield Line(mark="!", text=text, style="warning")
    yield Line(text=f"To take {entry.id} of {_when(entry.began)} back in {entry.environment}", style="title")
    for move in moves or ("the same distributions; files in them differ",):
        yield Line(mark="·", text=move, indent=2, style="note")


def _state(past: Past) -> str:
    replaced = past.entry.state == "applied" and past.entry.folder
    return "lost" if replaced and not past.kept else past.entry.state


def _when(text: str) -> str:
    """On the clock of whoever reads it."""
    try:
        return datetime.fromisoformat(text).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return text
