"""What holds for the commands of every note: they can be pasted as they are shown, where they are to run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from dlsetup.model.note import NoteStep
from dlsetup.plan.notes.subject import Subject

_RIGHTS = re.compile(r"(^|\| )sudo ")
UNSAFE = (
    "A name that belongs into a command holds signs that cannot be shown; look at it on the machine itself."
)


def finished(steps: Iterable[NoteStep], subject: Subject) -> Iterator[NoteStep]:
    """The steps without commands that nobody could read, and without `sudo` where there is none."""
    for step in steps:
        names = ("commands", "check", "undo")
        kept = {name: _fitting(getattr(step, name), subject) for name in names}
        lost = any(len(kept[name]) < len(getattr(step, name)) for name in names)
        why = f"{step.why} {UNSAFE}".strip() if lost else step.why
        yield replace(step, why=why, **kept)


def _fitting(commands: tuple[str, ...], subject: Subject) -> tuple[str, ...]:
    """A line that is shown in one way and pasted in another would change its meaning."""
    shown = (text for text in commands if text.isprintable())
    if not subject.scene.in_container:
        return tuple(shown)
    return tuple(_RIGHTS.sub(r"\1", text) for text in shown)
