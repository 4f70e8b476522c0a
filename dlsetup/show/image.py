"""An image: its files, what it holds, and how it is built and started."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from dlsetup.model.finding import Finding
from dlsetup.model.listing import Reading
from dlsetup.model.outcome import Outcome
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.plan.base_image import Base
from dlsetup.show.creation import outcome_lines
from dlsetup.show.lines import Line, command


class ImageFile(Record, frozen=True, kw_only=True):
    """One file of an image. `other`: there is one of that name that says something else."""

    path: str
    why: str
    state: Literal["new", "same", "other"]
    text: str | Unknown = UNKNOWN
    """Of a dry run."""


class ImageDocument(Record, frozen=True, kw_only=True):
    """What was written and built (`ok`), what would be, or what forbids it."""

    schema: Literal["dlsetup.create-image/1"] = "dlsetup.create-image/1"
    ok: bool
    name: str | Unknown = UNKNOWN
    """Of the image."""
    base: Base | Unknown = UNKNOWN
    holds: tuple[str, ...] = ()
    plan: Plan | Unknown = UNKNOWN
    """Left out where a lock was given."""
    written: tuple[ImageFile, ...] = ()
    image: str | Unknown = UNKNOWN
    """Its id, where it was built."""
    outcomes: tuple[Outcome, ...] = ()
    """What each framework did inside."""
    build: str | Unknown = UNKNOWN
    """The command that builds it."""
    start: str | Unknown = UNKNOWN
    """The command that starts it."""
    notes: tuple[str, ...] = ()
    conflict: Conflict | Unknown = UNKNOWN
    findings: tuple[Finding, ...] = ()
    """What speaks against the lock, or is remarked on it."""
    files: tuple[Reading, ...] | Unknown = UNKNOWN
    """What was taken from each file that was named, and what was left."""


def base_lines(base: Base, holds: tuple[str, ...]) -> Iterator[Line]:
    """What it stands on, and why."""
    yield Line()
    yield Line(text=f"An image with {', '.join(holds)}", style="title")
    builder = "" if base.builder == base.image else f", built in {base.builder}"
    yield Line(text=f"on {base.image}{builder}", indent=2)
    yield Line(mark="because", text=base.because, indent=4, style="faint")


def file_lines(files: tuple[ImageFile, ...], *, dry_run: bool) -> Iterator[Line]:
    """What becomes of each file; of a dry run its text too."""
    for file in files:
        if dry_run:
            yield Line()
            yield Line(text=f"{file.path}{_there(file)}", style="title")
            text = file.text if isinstance(file.text, str) and len(file.text) < 20_000 else ""
            yield from (Line(text=row, indent=2, wrap=False) for row in text.splitlines())
        else:
            same = " (was so already)" if file.state == "same" else ""
            yield Line(mark="✓", text=f"{file.path}: {file.why}{same}", style="good")


def image_lines(document: ImageDocument) -> Iterator[Line]:
    """What was proved inside, and how the image is built and started."""
    for outcome in document.outcomes:
        yield from outcome_lines(outcome)
    for note in document.notes:
        yield Line(mark="·", text=note, style="note")
    yield Line()
    if isinstance(document.image, str):
        yield Line(mark="✓", text=f"The image {document.name} is ready.", style="good")
    elif isinstance(document.build, str):
        yield Line(mark="hint:", text="build it with", style="good")
        yield command(document.build, indent=6)
    if isinstance(document.start, str):
        yield Line(mark="hint:", text="start it with", style="good")
        yield command(document.start, indent=6)


def _there(file: ImageFile) -> str:
    return {"new": "", "same": ": is there already", "other": ": another one is there"}[file.state]
