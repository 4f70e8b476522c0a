"""One file or paste as clean lines: decoded, without signs that a terminal would obey, bounded."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import NamedTuple

LONGEST_LINE = 4000
"""Letters of a line that are read; what follows is cut off."""
MOST_LINES = 400_000
_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]{0,4000}(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?"
)
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]"
)
_RARE = re.compile("[\U00010000-\U0010ffff]")
"""Emoji and the like: a single one would make Python keep every letter of a text in four bytes."""
_TIME = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
_PREFIXES = tuple(
    re.compile(form)
    for form in (
        r"\[(?:rank ?)?\d{1,4}\]:? ",
        r"\d{1,4}: ",
        r"\s{0,5}\d{1,5}  (?=\S)",
        r"(?:#\d{1,3} )?\d{1,4}\.\d{1,3} ",
        r"[\w.-]{1,60}\s{1,20}\| ",
        r"(?:>(?!>>) ?){1,6}",
        rf"(?:[A-Z][a-z]{{2}} [ \d]\d \d\d:\d\d:\d\d|{_TIME}) [\w.-]{{1,64}} [\w.@/-]{{1,64}}\[\d{{1,8}}\]: ",
        rf"{_TIME} (?:std(?:out|err) [FP] )?",
    )
)
"""What `srun -l`, `torchrun`, builds, mails, containers, CI, journald and `history` put before a line."""
_FEWEST = 3
"""Lines one after the other that bear such a prefix before it is taken for one."""


class Line(NamedTuple):
    """`number` counts from 1 in the file as it was given."""

    text: str
    number: int
    file: str

    @property
    def place(self) -> str:
        """`run.log:12`."""
        return f"{self.file}:{self.number}"


class Page:
    """One text, as parsers see it."""

    def __init__(self, text: str, file: str, jump: tuple[int, int] = (0, 0)) -> None:
        """`jump`: after which line of the text how many were left out, so that the rest keeps its numbers."""
        self.file = file
        self.whole = text
        """As it was given, for what must not lose a letter: JSON."""
        self._after, self._left_out = jump
        self.lines = tuple(
            Line(line, self._number(place), file)
            for place, line in enumerate(_split(_cleaned(text)), start=1)
        )

    def _number(self, place: int) -> int:
        return place if place <= self._after else place + self._left_out

    def numbered(self, number: int) -> str:
        """The text of the line of that number; empty where there is none."""
        place = number if number <= self._after else number - self._left_out
        return self.lines[place - 1].text if 0 < place <= len(self.lines) else ""

    @cached_property
    def text(self) -> str:
        """All lines, each ended by a line feed."""
        return "".join(f"{line.text}\n" for line in self.lines)

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self.lines:
            starts.append(starts[-1] + len(line.text) + 1)
        return starts

    def line_at(self, place: int) -> Line:
        """The line that holds the letter at that place of `text`."""
        return self.lines[min(bisect_right(self._starts, place) - 1, len(self.lines) - 1)]

    def holds(self, *marks: str) -> bool:
        """Whether any of these stands somewhere, letter for letter."""
        return any(mark in self.text for mark in marks)


def decoded(data: bytes) -> str:
    """Text out of what somebody saved: UTF-8, UTF-16 as Windows tools write it, or bytes as they come."""
    return _RARE.sub("", _text(data))


def _text(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    head = data[:400]
    if head.count(0) * 3 > len(head):
        little = head[1::2].count(0) >= head[::2].count(0)
        return data.decode("utf-16-le" if little else "utf-16-be", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _cleaned(text: str) -> str:
    text = text.replace("\r\n", "\n")
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    return _UNSEEN.sub("", text.replace("\r", "\n").replace("\xa0", " "))


def _split(text: str) -> list[str]:
    """Lines without the prefixes that quotations and runners of programs give them."""
    lines = text.split("\n")[:MOST_LINES]
    if lines and not lines[-1]:
        lines.pop()
    lines = [line[:LONGEST_LINE].rstrip() for line in lines]
    for prefix in _PREFIXES:
        lines = _without(prefix, lines)
    return lines


def _without(prefix: re.Pattern[str], lines: list[str]) -> list[str]:
    """The lines without a prefix that several bear one after the other; empty ones between may lack it."""
    lengths = [match.end() if (match := prefix.match(line)) else 0 for line in lines]
    if len(lengths) - lengths.count(0) < _FEWEST:
        return lines
    run = 0
    for place in range(len(lines) + 1):
        if place < len(lines) and (lengths[place] or (run and not lines[place])):
            run += 1
            continue
        if run >= _FEWEST:
            for held in range(place - run, place):
                lines[held] = lines[held][lengths[held] :]
        run = 0
    return lines
