"""A machine out of what somebody pasted: files, folders, standard input; all of them are one report."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from dlsetup.intake import saved
from dlsetup.intake.assembly import machine_of
from dlsetup.intake.fact import Fact
from dlsetup.intake.inference import inferences
from dlsetup.intake.messages import Sought, messages_of
from dlsetup.intake.page import Page, decoded
from dlsetup.intake.reading import every_format, facts_of
from dlsetup.model.errors import DataError, UsageError
from dlsetup.model.machine import Gap, Machine

LARGEST = 50 << 20
"""Bytes of one report that are read; what follows is left, and said so."""
MOST_FILES = 500


def read_report(places: Sequence[str], sought: Iterable[Sought]) -> Machine:
    """The machine that these files, folders or `-` (standard input) tell of.

    Raises `UsageError` for what cannot be read.
    """
    texts = [text for place in places for text in _texts(place)]
    return report_of(texts, sought)


def report_of(texts: Sequence[tuple[str, bytes]], sought: Iterable[Sought]) -> Machine:
    """The machine that texts, each with its name, tell of."""
    if len(texts) == 1 and (machine := _saved(texts[0][1])) is not None:
        return machine
    pages = [Page(decoded(data[:LARGEST]), name) for name, data in texts]
    gaps = [
        Gap(fact=f"the end of {name}", reason=f"only {LARGEST >> 20} MiB of a report are read")
        for name, data in texts
        if len(data) > LARGEST
    ]
    known, ready = every_format(), tuple(sought)
    facts: list[Fact] = []
    for page in pages:
        for found in (*facts_of(page, known), *messages_of(page, ready)):
            if isinstance(found, Gap):
                gaps.append(found)
            else:
                facts.append(found)
    facts += inferences(pages, facts)
    return machine_of(facts, gaps, lines=sum(len(page.lines) for page in pages))


def _saved(data: bytes) -> Machine | None:
    """A machine that dlsetup saved, by what it says of itself."""
    if b'"dlsetup.machine/' not in data[:4000]:
        return None
    try:
        return saved.parse(data, "the report")
    except DataError:
        return None


def _texts(place: str) -> Iterator[tuple[str, bytes]]:
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
            yield str(item.relative_to(path)), _bytes(item)
        return
    yield path.name, _bytes(path)


def _bytes(path: Path) -> bytes:
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
