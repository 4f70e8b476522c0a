"""A machine out of what somebody pasted: files, folders, standard input; all of them are one report."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from dlsetup.intake.assembly import machine_of
from dlsetup.intake.embedded import joined, saved_machine
from dlsetup.intake.fact import Fact
from dlsetup.intake.inference import inferences
from dlsetup.intake.messages import Sought, messages_of
from dlsetup.intake.page import Page, decoded
from dlsetup.intake.reading import Format, facts_of
from dlsetup.model.errors import UsageError
from dlsetup.model.machine import Gap, Machine

LARGEST = 50 << 20
"""Bytes of one report that are read; what follows is left, and said so."""
MOST_FILES = 500


class Ways(NamedTuple):
    """All that texts are searched with."""

    formats: tuple[Format, ...]
    messages: tuple[Sought, ...]


class Reading(NamedTuple):
    """What was read, and the pages it was read on."""

    machine: Machine
    pages: tuple[Page, ...]

    def line(self, source: str) -> str:
        """The text of the line that a source (`run.log:12, by which rule`) points to; empty for others."""
        place, _, number = source.partition(",")[0].rpartition(":")
        page = next((page for page in self.pages if page.file == place), None)
        if page is None or not number.isdecimal() or not 0 < int(number) <= len(page.lines):
            return ""
        return page.lines[int(number) - 1].text


def read_report(places: Sequence[str], ways: Ways) -> Reading:
    """What these files, folders or `-` (standard input) tell. Raises `UsageError` for what cannot be read."""
    texts = [text for place in places for text in texts_of(place)]
    return report_of(texts, ways)


def report_of(texts: Sequence[tuple[str, bytes]], ways: Ways) -> Reading:
    """What texts, each with its name, tell."""
    pages = tuple(Page(decoded(data[:LARGEST]), name) for name, data in texts)
    gaps = [
        Gap(fact=f"the end of {name}", reason=f"only {LARGEST >> 20} MiB of a report are read")
        for name, data in texts
        if len(data) > LARGEST
    ]
    machines = [machine for page in pages if (machine := saved_machine(page))]
    if machines and len(pages) == 1 and pages[0].whole.lstrip().startswith("{"):
        return Reading(machines[0], pages)
    machine = _told(pages, gaps, ways)
    return Reading(joined(machines[0], machine) if machines else machine, pages)


def _told(pages: Sequence[Page], gaps: list[Gap], ways: Ways) -> Machine:
    """The machine that the words of all pages make."""
    facts: list[Fact] = []
    for page in pages:
        for found in (*facts_of(page, ways.formats), *messages_of(page, ways.messages)):
            if isinstance(found, Gap):
                gaps.append(found)
            else:
                facts.append(found)
    facts += inferences(pages, facts)
    return machine_of(facts, gaps, lines=sum(len(page.lines) for page in pages))


def texts_of(place: str) -> Iterator[tuple[str, bytes]]:
    """The texts of a file, of all files of a folder, or of standard input (`-`). Raises `UsageError`."""
    if place == "-":
        yield "standard input", sys.stdin.buffer.read(LARGEST + 1)
        return
    path = Path(place)
    if path.is_dir():
        files = sorted(item for item in path.rglob("*") if item.is_file())
        if len(files) > MOST_FILES:
            hint = "`dlsetup triage FOLDER` reads a folder of many reports"
            raise UsageError(f"`{place}` holds more than {MOST_FILES} files", hint=hint)
        for item in files:
            yield str(item.relative_to(path)), bytes_of(item)
        return
    yield path.name, bytes_of(path)


def bytes_of(path: Path) -> bytes:
    """The beginning of an ordinary file, and one byte more than is read. Raises `UsageError`."""
    try:
        if not path.is_file():
            raise UsageError(
                f"there is no file `{path}`", hint="name a report, a folder of its files, or `-`"
            )
        with path.open("rb") as file:
            return file.read(LARGEST + 1)
    except (OSError, ValueError) as exc:
        reason = getattr(exc, "strerror", None) or str(exc)
        raise UsageError(f"`{path}` cannot be read: {reason}", hint="name a report that can be read") from exc
