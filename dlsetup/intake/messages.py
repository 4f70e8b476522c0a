"""Finds the messages that the catalog knows, and states the facts that they tell."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from packaging.version import Version

from dlsetup.intake.fact import Fact, Weight
from dlsetup.intake.page import Page
from dlsetup.model.report import Message, Observation
from dlsetup.model.signature import Given, Signature
from dlsetup.model.versions import CudaVersion, DriverRelease, LibcVersion, OsRelease

BEFORE, AFTER = 400, 1200
"""Letters around a mark that a pattern may look at."""
MOST = 20
"""Times that one message is noted on one page."""
LONGEST = 400
_CLASS = re.compile(r"(\\.|\[\^?\]?(?:\\.|[^\]\\])*\])")
"""An escaped letter or a class of letters, in which a space is only a space."""
_CONDITION = re.compile(
    r"\b(?:[Ii]f|[Ww]hen|[Ww]henever) (?:you|one|users?) (?:see|sees|get|gets|encounter|receive|run into)\b"
)
_BREAK = r"(?: |\n[ ]{0,60})"

READINGS: dict[str, Callable[[str], Any]] = {
    "text": str,
    "cuda": CudaVersion,
    "cuda-number": lambda text: CudaVersion.from_api(int(text)),
    "driver": DriverRelease,
    "version": Version,
    "libc": LibcVersion,
    "release": OsRelease,
}


class Sought:
    """A signature; its pattern is made ready when one of its marks is met, which few are."""

    def __init__(self, signature: Signature) -> None:
        self.signature = signature

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(wrapped(self.signature.pattern))


def wrapped(pattern: str) -> str:
    """A pattern whose spaces may be ends of lines: mails, logs and terminals wrap what they are given."""
    parts = _CLASS.split(pattern)
    return "".join(part if place % 2 else part.replace(" ", _BREAK) for place, part in enumerate(parts))


def messages_of(page: Page, sought: Iterable[Sought]) -> Iterator[Fact]:
    """Each message on the page, once a place, and what it states."""
    flat = page.text.replace("\n", " ")
    for item in sought:
        signature = item.signature
        places: set[int] = set()
        for found in _found(page.text, flat, item):
            if found.start() in places or len(places) >= MOST or _in_general(page.text, found.start()):
                continue
            places.add(found.start())
            line = page.line_at(found.start())
            values = tuple((name, value) for name, value in found.groupdict().items() if value is not None)
            text = " ".join(found[0].split())[:LONGEST]
            message = Message(signature=signature.id, values=values, text=text, source=line.place)
            yield Fact("message", message, line.place, Weight.TOLD)
            for given in signature.facts:
                yield from _stated(given, message)


def _in_general(text: str, place: int) -> bool:
    """Whether a message stands in a sentence on what may happen, as in a README's part on troubles."""
    return _CONDITION.search(text, text.rfind("\n", 0, place) + 1, place) is not None


def _found(text: str, flat: str, item: Sought) -> Iterator[re.Match[str]]:
    """Matches near a mark: no pattern is let loose on a whole text of a hostile size.

    `flat` is the text on one line, in which a mark that was wrapped is found too.
    """
    for mark in item.signature.marks:
        place = flat.find(mark)
        tries = 0
        while place >= 0 and tries < MOST * 5:
            tries += 1
            start = max(0, place - BEFORE)
            for found in item.pattern.finditer(text, start, min(len(text), place + AFTER)):
                if found.start() <= place + len(mark) and found.end() >= place:
                    yield found
                    break
            place = flat.find(mark, place + len(mark))


def _stated(given: Given, message: Message) -> Iterator[Fact]:
    """The fact, if every group in it took part and it can be read."""
    values = dict(message.values)
    try:
        text = given.value.format_map(values)
        value = READINGS[given.reading](text)
    except (KeyError, ValueError, IndexError):
        return
    if given.about.startswith("observation."):
        subject = given.about.removeprefix("observation.")
        seen = Observation(subject=subject, value=text, source=message.source)
        yield Fact("observation", seen, message.source, Weight.TOLD)
        return
    yield Fact(given.about, value, message.source, Weight.TOLD, f"message `{message.signature}`")
