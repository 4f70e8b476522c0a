"""Locks in words: one that was written, and one that was held against a target."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.model.record import Unknown
from dlsetup.show.doctor import finding_lines, gap_lines
from dlsetup.show.json import CheckLockDocument, WrittenLock
from dlsetup.show.lines import Line
from dlsetup.show.words import counted, listed


def check_lines(document: CheckLockDocument) -> Iterator[Line]:
    """What the lock was made for, what speaks against it on the target, and the answer."""
    yield Line(text=f"{document.path}: {counted(document.packages, 'package')}", style="title")
    note = document.made_for
    if isinstance(note, Unknown):
        yield Line(text="made by another tool", indent=2)
    else:
        names = listed([target.name for target in note.targets])
        checked = f", catalog of {note.catalog_checked}" if note.catalog_checked else ""
        yield Line(text=f"made for {names}, Python {note.python}{checked}", indent=2)
    for finding in document.findings:
        yield Line()
        yield from finding_lines(finding)
    if document.unknown:
        yield Line()
    for gap in document.unknown:
        yield from gap_lines(gap)
    yield Line()
    if document.ok and document.findings:
        yield Line(mark="!", text=f"It serves {document.target}, as far as is known.", style="warning")
    elif document.ok:
        yield Line(mark="✓", text=f"Nothing known speaks against it on {document.target}.", style="good")
    else:
        yield Line(mark="✗", text=f"It does not serve {document.target}.", style="bad")


def written_lines(lock: WrittenLock) -> Iterator[Line]:
    """Where the lock lies, and where uv knew more than the catalog."""
    yield Line()
    for text in lock.learned:
        yield Line(mark="!", text=text, style="warning")
    yield Line(mark="✓", text=f"{lock.path} locks {counted(lock.packages, 'package')}.", style="good")
