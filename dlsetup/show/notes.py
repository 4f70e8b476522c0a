"""Notes in words and as documents: what is right, what has to be done, what nobody knows yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from dlsetup.model.note import Concern, Note, NoteStep, NotOfKind, State
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.show.lines import Line, Style, command
from dlsetup.show.words import counted, flowing

PLACES = {
    "here": "",
    "shell": " (in the shell in which programs run)",
    "windows": " (on the Windows side, in PowerShell)",
    "host": " (on the container's host)",
    "screen": " (by hand)",
}
STATES: dict[State, str] = {"needed": "", "optional": " (optional)", "ask": "", "right": "", "blocked": ""}
_STYLES: dict[State, Style] = {
    "needed": "warning",
    "optional": "note",
    "ask": "warning",
    "right": "good",
    "blocked": "bad",
}


class NotesDocument(Record, frozen=True, kw_only=True):
    """A note (`ok`), why there is none for this machine, or the kinds of notes (`ok`)."""

    schema: Literal["dlsetup.notes/1"] = "dlsetup.notes/1"
    ok: bool
    note: Note | Unknown = UNKNOWN
    refused: NotOfKind | Unknown = UNKNOWN
    kinds: tuple[Concern, ...] | Unknown = UNKNOWN
    file: str | Unknown = UNKNOWN
    """Where it was written to, or would be in a dry run."""
    text: str | Unknown = UNKNOWN
    """Of a dry run: what would be written."""


def note_lines(note: Note, *, verbose: bool = False) -> Iterator[Line]:
    """The whole note: steps that are left have numbers. `verbose`: with the sources."""
    yield Line(text=note.title, style="title")
    yield Line(text=note.about, indent=2, style="faint")
    for number, step in numbered(note.steps):
        yield Line()
        yield from _step(number, step)
        for source in step.sources if verbose else ():
            yield Line(mark="source ", text=source, indent=3, style="faint")
    if note.harmless:
        yield Line()
        yield Line(text="Messages that look like faults and are none", style="title")
    for item in note.harmless:
        yield Line(mark="·", text=item.says, style="note")
        yield Line(mark="because", text=flowing(item.because), indent=2, style="faint")
    yield Line()
    yield summary(note)


def numbered(steps: Sequence[NoteStep]) -> Iterator[tuple[int, NoteStep]]:
    """Each step with its number; 0 for one where nothing is to be done."""
    number = 0
    for step in steps:
        left = step.state not in ("right", "blocked")
        number += left
        yield number if left else 0, step


def summary(note: Note) -> Line:
    """How much is left."""
    left, asked, more = note.surely, note.count("ask"), note.count("optional")
    perhaps = note.count("needed") - left
    parts = [
        counted(left, "step") + " to do" if left else "",
        counted(perhaps, "step") + " that may be needed" if perhaps else "",
        counted(asked, "fact") + " to look up" if asked else "",
        counted(more, "step") + " for who wants it" if more else "",
    ]
    words = ", ".join(filter(None, parts))
    well = f"{counted(note.count('right'), 'thing')} right"
    if note.count("blocked"):
        return Line(
            mark="✗", text=f"Something stands against it. {words or 'Nothing else is left'}.", style="bad"
        )
    if left or asked or perhaps:
        return Line(mark="!", text=f"{words}; {well}.", style="warning")
    return Line(
        mark="✓", text=f"Nothing is left to do{f' but {words}' if words else ''}; {well}.", style="good"
    )


def _step(number: int, step: NoteStep) -> Iterator[Line]:
    marks = {"right": "✓", "blocked": "✗", "ask": f"{number}?"}
    place = PLACES[step.place] if step.state not in ("right", "blocked") else ""
    title = f"{step.title}{STATES[step.state]}{place}"
    yield Line(mark=marks.get(step.state, f"{number}."), text=title, style=_STYLES[step.state])
    if step.why:
        yield Line(mark="because", text=flowing(step.why), indent=3, style="faint")
    if step.only_if:
        yield Line(mark="only if", text=step.only_if, indent=3, style="note")
    for item in dict.fromkeys(step.evidence):
        source = f" (from {item.source})" if item.source else ""
        yield Line(mark="seen   ", text=f"{item.fact}: {item.value}{source}", indent=3, style="faint")
    yield from (command(text, indent=6) for text in step.commands)
    if step.file:
        yield Line(mark="file   ", text=step.file, indent=3, style="faint", wrap=False)
        yield from (command(text, indent=11) for text in step.lines)
    yield from _after(step)


def _after(step: NoteStep) -> Iterator[Line]:
    """How it shows, and how it is taken back."""
    if step.state != "ask" and (step.check or step.sign):
        after = f", after {step.after}" if step.after else ""
        yield Line(mark="shows  ", text=f"{step.sign or 'no error'}{after}", indent=3, style="faint")
        yield from (command(text, indent=11) for text in step.check)
    if step.undo_words or step.undo:
        yield Line(mark="undo   ", text=step.undo_words or "with", indent=3, style="faint")
        yield from (command(text, indent=11) for text in step.undo)


def refusal_lines(refused: NotOfKind) -> Iterator[Line]:
    """Why there is no note, and what to ask instead."""
    yield Line(
        mark="✗", text=f"There is no note `{refused.kind}` for this machine: {refused.because}.", style="bad"
    )
    yield from (Line(mark="ask    ", text=text, indent=2, style="faint", wrap=False) for text in refused.ask)


def kind_lines(about: str, found: Sequence[Concern]) -> Iterator[Line]:
    """All kinds, and which of them are for this machine."""
    yield Line(text="Notes", style="title")
    yield Line(text=about, indent=2, style="faint")
    for item in found:
        if item.concerns:
            left = f"; {counted(item.needed, 'step')} to do" if item.needed else ""
            yield Line(mark="✓", text=f"{item.kind}: {item.title}{left}", style="good")
        else:
            yield Line(mark="·", text=f"{item.kind}: not for this machine: {item.because}", style="faint")
    yield Line(mark="hint:", text="`dlsetup notes KIND` has the steps", style="good")
