"""A machine out of what somebody pasted: files, folders, standard input; all of them are one report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dlsetup.intake.assembly import machine_of
from dlsetup.intake.embedded import joined, saved_machine
from dlsetup.intake.fact import Fact
from dlsetup.intake.inference import inferences
from dlsetup.intake.messages import Sought, messages_of
from dlsetup.intake.page import Page, decoded
from dlsetup.intake.reading import Format, facts_of
from dlsetup.intake.texts import HALF, Text, texts_of
from dlsetup.model.errors import UsageError
from dlsetup.model.machine import Gap, Machine


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
        return page.numbered(int(number)) if page and number.isdecimal() and len(number) < 12 else ""


def read_report(places: Sequence[str], ways: Ways) -> Reading:
    """What these files, folders or `-` (standard input) tell. Raises `UsageError` for what cannot be read."""
    texts = texts_of(places)
    if all(not text.data or text.data.isspace() for text in texts):
        raise UsageError("there is nothing to read", hint="name a report, a folder of its files, or `-`")
    return report_of(texts, ways)


def report_of(texts: Iterable[tuple[str, bytes] | Text], ways: Ways) -> Reading:
    """What texts, each with its name, tell."""
    read = [Text(*text) for text in texts]
    pages = tuple(Page(decoded(text.data), text.name, _jump(text)) for text in read)
    gaps = [
        Gap(fact=f"the middle of {text.name}", reason=f"only {2 * HALF >> 20} MiB of a text are read")
        for text in read
        if text.left_out
    ]
    gaps += [Gap(fact=f"what {text.name} holds", reason=text.unread) for text in read if text.unread]
    machines = [machine for page in pages if (machine := saved_machine(page))]
    if machines and len(pages) == 1 and pages[0].whole.lstrip().startswith("{"):
        return Reading(machines[0], pages)
    machine = _told(pages, gaps, ways)
    return Reading(joined(machines[0], machine) if machines else machine, pages)


def _jump(text: Text) -> tuple[int, int]:
    """After which line how many were left out."""
    return text.data[:HALF].count(b"\n"), text.left_out


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
