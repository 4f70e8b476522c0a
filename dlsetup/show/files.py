"""Files of a project that are written or edited: in words, as changes by line, and as a document."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Literal

from dlsetup.model.listing import Reading
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.resolution import Conflict, Plan, Together
from dlsetup.show.lines import Line, Style
from dlsetup.show.words import counted, listed

MOST = 80
"""Changed lines of one file that are shown; JSON has all of them."""
Change = Literal["new", "changed", "same"]
_STYLES: dict[str, Style] = {"+": "good", "-": "bad", "@": "faint"}


class FileChange(Record, frozen=True, kw_only=True):
    """One file: what becomes of it."""

    path: str
    form: str
    change: Change
    diff: str = ""
    """From what is there to what shall be, line by line."""
    notes: tuple[str, ...] = ()
    """What stays as it stands, and what that means."""


class FilesDocument(Record, frozen=True, kw_only=True):
    """The files of a plan (`ok`), or the conflict that forbids it."""

    schema: Literal["dlsetup.create-files/1"] = "dlsetup.create-files/1"
    ok: bool
    written: bool = False
    """False for a dry run, where nothing is to change, and where the user says no."""
    changes: tuple[FileChange, ...] = ()
    plan: Plan | Unknown = UNKNOWN
    together: Together | Unknown = UNKNOWN
    """Of several targets."""
    learned: tuple[str, ...] = ()
    """Where uv knew more than the catalog, and what was taken instead."""
    notes: tuple[str, ...] = ()
    conflict: Conflict | Unknown = UNKNOWN
    files: tuple[Reading, ...] | Unknown = UNKNOWN
    """What was taken from each file that was named, and what was left."""


def difference(path: str, before: str, after: str) -> str:
    """What changes, as patches have it."""
    rows = difflib.unified_diff(before.splitlines(), after.splitlines(), path, path, lineterm="", n=2)
    return "".join(f"{row}\n" for row in rows)


def change_lines(changes: Sequence[FileChange]) -> Iterator[Line]:
    """Each file with what becomes of it."""
    words = {
        "new": "new",
        "changed": "changed",
        "same": "nothing to change",
    }
    for item in changes:
        yield Line()
        yield Line(text=f"{item.path}: {words[item.change]}", style="title")
        rows = item.diff.splitlines()[2:]
        for row in rows[:MOST]:
            yield Line(text=row, indent=2, style=_STYLES.get(row[:1], ""), wrap=False)
        if len(rows) > MOST:
            yield Line(text=f"… {len(rows) - MOST} more lines; `--json` has them", indent=2, style="faint")
        for note in item.notes:
            yield Line(mark="!", text=note, indent=2, style="warning")


def end_line(changes: Sequence[FileChange], *, written: bool) -> Line:
    """What was done."""
    paths = [item.path for item in changes if item.change != "same"]
    if not paths:
        return Line(mark="✓", text="Nothing to change.", style="good")
    if not written:
        return Line(text=f"Nothing was written: {counted(len(paths), 'file')} would be.")
    return Line(mark="✓", text=f"{listed(paths)} {'is' if len(paths) == 1 else 'are'} written.", style="good")
