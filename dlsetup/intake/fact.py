"""One thing that a report says, with the place where it says so."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

from dlsetup.intake.page import Line
from dlsetup.model.report import Observation


class Weight(IntEnum):
    """How far a fact may be trusted against another one of the same thing."""

    WORDS = 1
    """Somebody wrote it in his own words."""
    INFERRED = 2
    """It follows from something else by a rule."""
    TOLD = 3
    """A program's message mentions it."""
    SHOWN = 4
    """A tool whose work it is printed it."""


class Fact(NamedTuple):
    """`about` is `system.kernel`, `driver.module`, … for a part of a record, or the kind of a whole one:

    `gpu`, `toolkit`, `library`, `distribution`, `tool`, `package`, `variable`, `message`, `observation`,
    `command`, `asked`, `container`, `stage`.
    """

    about: str
    value: Any
    source: str
    """`collect_env.txt:12`."""
    weight: Weight = Weight.SHOWN
    rule: str = ""
    """How it was inferred, in a few words."""
    group: str = ""
    """Of GPUs: what belongs to one listing, in its order."""


def shown(about: str, value: Any, line: Line, *, group: str = "") -> Fact:
    """What a tool printed."""
    return Fact(about, value, line.place, Weight.SHOWN, "", group)


def observed(subject: str, value: str, line: Line, *, weight: Weight = Weight.SHOWN) -> Fact:
    """What a program answered when it was asked about `subject`."""
    answer = Observation(subject=subject, value=value, source=line.place)
    return Fact("observation", answer, line.place, weight)


def told(about: str, value: Any, line: Line) -> Fact:
    """What a message mentions."""
    return Fact(about, value, line.place, Weight.TOLD)


def in_words(about: str, value: Any, line: Line) -> Fact:
    """What somebody says."""
    return Fact(about, value, line.place, Weight.WORDS)


def inferred(about: str, value: Any, line: Line, rule: str) -> Fact:
    """What follows by a rule, which is named."""
    return Fact(about, value, line.place, Weight.INFERRED, rule)
