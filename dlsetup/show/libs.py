"""The libraries of an environment in words: who wins, who loses and why, and what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dlsetup.model.libraries import (
    Candidate,
    Choice,
    Course,
    Lack,
    Libraries,
)
from dlsetup.model.machine import Gap
from dlsetup.model.record import Unknown
from dlsetup.show.doctor import gap_lines
from dlsetup.show.lines import Line
from dlsetup.show.words import counted, flowing

SHOWN = 3
OWNERS = {"nobody": "owned by nobody", "system": "of the system", "wsl": "of WSL", "toolkit": "of a toolkit"}


class Wanted(NamedTuple):
    """How much is said."""

    every: bool = False
    """Also libraries that nobody else has a copy of, with every consumer and symbol."""
    one: bool = False
    """One library was asked for: it is told whole."""

    @property
    def whole(self) -> bool:
        return self.every or self.one


def libs_lines(found: Libraries, gaps: Sequence[Gap], wanted: Wanted) -> Iterator[Line]:
    """The whole answer of `libs`."""
    yield Line(text=f"Libraries of {found.environment}", style="title")
    for course in found.courses:
        yield Line()
        yield from _course_lines(course, wanted)
    yield from _trouble_lines(found)
    yield from _observed_lines(found)
    for gap in gaps:
        yield Line()
        yield from gap_lines(gap)
    yield Line()
    yield summary(found)


def _trouble_lines(found: Libraries) -> Iterator[Line]:
    """Files that are not as they were installed."""
    troubles = () if isinstance(found.troubles, Unknown) else found.troubles
    if troubles:
        yield Line()
        yield Line(text="Installed files", style="title")
    for item in troubles:
        yield Line(
            mark="✗" if item.breaks else "!",
            text=f"{item.text}, such as `{item.example}`"
            if item.count > 1
            else f"{item.text}: `{item.example}`",
            style="bad" if item.breaks else "warning",
            indent=2,
        )


def _observed_lines(found: Libraries) -> Iterator[Line]:
    """Whether the real loader did as it was predicted to; nothing where nobody looked."""
    if isinstance(found.observed, Unknown) or isinstance(found.differences, Unknown):
        return
    yield Line()
    for item in found.observed:
        mine = [one for one in found.differences if one.program == item.program]
        if item.gap:
            yield Line(mark="?", text=f"import {item.program} was not observed: {item.gap}", style="warning")
        elif not mine:
            text = f"import {item.program}: the loader does as predicted"
            yield Line(mark="✓", text=text, style="good")
        for one in mine:
            yield Line(mark="✗", text=f"{one.name} of {one.program} was predicted otherwise", style="bad")
            yield Line(mark="predicted", text=one.predicted, indent=2, style="faint", wrap=False)
            yield Line(mark="observed ", text=one.observed, indent=2, style="faint", wrap=False)


def _course_lines(course: Course, wanted: Wanted) -> Iterator[Line]:
    title = "any program" if course.program == "python" else f"import {course.program}"
    yield Line(text=title, style="title")
    if course.failure:
        yield Line(mark="✗", text=f"The loader fails: {course.failure}", style="bad", indent=2)
    for text in course.mixed:
        yield Line(mark="✗", text=f"Parts of two versions: {text}", style="bad", indent=2)
    if not course.choices:
        yield Line(text="asks for no CUDA library", indent=2, style="faint")
    for choice in course.choices:
        yield from _choice_lines(choice, wanted)
    for item in course.unmet if wanted.whole else ():
        yield Line(mark="·", text=f"{item.name} is asked for and not found", indent=2, style="note")


def _choice_lines(choice: Choice, wanted: Wanted) -> Iterator[Line]:
    winner = choice.winner
    if winner is None:
        return
    bad = bool(choice.lacks)
    text = f"{choice.soname}  {_version(winner)}  {winner.path}"
    yield Line(mark="✗" if bad else "✓", text=text, style="bad" if bad else "good", indent=2, wrap=False)
    yield Line(mark="because", text=f"{_owner(winner)}; {winner.reason}", indent=6, style="faint")
    for lack in choice.lacks:
        yield from _lack_lines(lack, wanted)
    losers = [item for item in choice.candidates if not item.wins]
    shown = losers if wanted.whole else [item for item in losers if item.via is not None]
    for item in shown:
        yield Line(mark="not", text=f"{_version(item)}  {item.path}", indent=6, style="faint", wrap=False)
        yield Line(mark="because", text=f"{_owner(item)}; {flowing(item.reason)}", indent=10, style="faint")
    hidden = len(losers) - len(shown)
    if hidden:
        words = "copy lies" if hidden == 1 else "copies lie"
        yield Line(text=f"{hidden} more {words} where nothing leads (`--all`)", indent=6, style="faint")


def _lack_lines(lack: Lack, wanted: Wanted) -> Iterator[Line]:
    missing = lack.versions or lack.symbols
    shown = missing if wanted.whole else missing[:SHOWN]
    more = f" and {len(missing) - len(shown)} more" if len(missing) > len(shown) else ""
    kind = "versions" if lack.versions else "symbols"
    text = f"{lack.consumer} needs {kind} that it does not have: {', '.join(shown)}{more}"
    yield Line(mark="lacks", text=text, indent=6, style="bad")


def _version(item: Candidate) -> str:
    return "version unknown" if isinstance(item.version, Unknown) else str(item.version)


def _owner(item: Candidate) -> str:
    name = f" {item.owner.name}" if item.owner.name else ""
    return OWNERS.get(item.owner.kind, f"from the {item.owner.kind}{name}")


def summary(found: Libraries) -> Line:
    """The last line."""
    choices = [choice for course in found.courses for choice in course.choices]
    lacking = sum(bool(choice.lacks) for choice in choices)
    failed = sum(bool(course.failure) for course in found.courses)
    if found.well:
        text = counted(len(choices), "library") if len(choices) == 1 else f"{len(choices)} libraries"
        return Line(mark="✓", text=f"{text} asked for; each has what is needed of it.", style="good")
    parts = []
    if lacking:
        parts.append(f"{lacking} {'library lacks' if lacking == 1 else 'libraries lack'} what is needed")
    if any(course.mixed for course in found.courses):
        parts.append("parts of cuDNN are of two versions")
    broken = () if isinstance(found.troubles, Unknown) else [item for item in found.troubles if item.breaks]
    if found.unread:
        parts.append(f"not read: {', '.join(found.unread)}")
    if broken:
        parts.append("installed files are not whole")
    if failed:
        parts.append(f"{failed} {'import fails' if failed == 1 else 'imports fail'}")
    return Line(mark="✗", text=f"{', '.join(parts)}.", style="bad")
