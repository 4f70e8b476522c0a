"""A bundle in words and as a document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from dlsetup.model.bundle import Carried, Fetched
from dlsetup.model.listing import Reading
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.show.json import CheckLockDocument
from dlsetup.show.lines import Line, command
from dlsetup.show.words import counted, few, size


class Weight(Record, frozen=True, kw_only=True):
    """What is to be fetched, and where to."""

    files: int
    bytes: int
    """Of all files whose size is known."""
    unsized: int = 0
    """Files whose size no index says."""
    there: int = 0
    """Bytes that an earlier run has brought."""
    room: int
    """Bytes that are needed on the disk of the place."""
    free: int
    """Bytes that it has left."""


class BundleDocument(Record, frozen=True, kw_only=True):
    """What was made (`ok`), what would be (`dry_run`), or what stands against it."""

    schema: Literal["dlsetup.bundle/1"] = "dlsetup.bundle/1"
    ok: bool
    path: str | Unknown = UNKNOWN
    dry_run: bool = False
    target: str | Unknown = UNKNOWN
    """As `--target` takes it."""
    plan: Plan | Unknown = UNKNOWN
    weight: Weight | Unknown = UNKNOWN
    wanted: tuple[Fetched, ...] = ()
    """Of a dry run."""
    files: tuple[Carried, ...] = ()
    sources: tuple[str, ...] = ()
    """Packages that have to be built there."""
    conflict: Conflict | Unknown = UNKNOWN
    lock: CheckLockDocument | Unknown = UNKNOWN
    """A lock that was given and does not serve the target."""
    readings: tuple[Reading, ...] | Unknown = UNKNOWN
    """What was taken from each file that was named, and what was left."""


def weight_lines(weight: Weight) -> Iterator[Line]:
    """What is to be fetched, what is there already, and the room that it takes."""
    least = "at least " if weight.unsized else ""
    text = f"To fetch: {counted(weight.files, 'file')} of {least}{size(weight.bytes)}"
    if weight.there:
        text += f", of which {size(weight.there)} are there from an earlier run"
    yield Line(text=f"{text}.")
    yield Line(text=f"It needs {least}{size(weight.room)} on the disk, which has {size(weight.free)} left.")


def wanted_lines(files: tuple[Fetched, ...]) -> Iterator[Line]:
    """Every file with its size."""
    for item in files:
        known = "size unknown" if isinstance(item.size, Unknown) else size(item.size)
        yield Line(text=f"{item.path}  {known}", indent=2, wrap=False)


def made_lines(
    path: str, files: tuple[Carried, ...], sources: tuple[str, ...], *, tar: bool
) -> Iterator[Line]:
    """What was made, and how it is used there."""
    yield Line()
    if sources:
        yield Line(mark="!", text=f"{few(sources)} must be compiled there.", style="warning")
    total = size(sum(item.size for item in files))
    yield Line(mark="✓", text=f"{path} is whole ({counted(len(files), 'file')}, {total}).", style="good")
    there = "unpack it there with `tar -xf`, then install it" if tar else "copy it there, then install it"
    yield Line(mark="hint:", text=f"{there} with", style="good")
    yield command("sh install.sh PLACE", indent=6)
    yield command("dlsetup create env PLACE --offline --bundle FOLDER", indent=6)
