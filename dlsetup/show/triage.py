"""The groups of a triage as a table."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.model.triage import FAILED, WELL, Group, Triage
from dlsetup.show.lines import Line
from dlsetup.show.words import counted

WORDS = {WELL: "no error is found in them", FAILED: "could not be read"}


def triage_lines(triage: Triage) -> Iterator[Line]:
    """A row for each cause: how many, how much of all, the id, and some of the reports."""
    yield Line(text=f"{counted(triage.reports, 'report')}, by primary cause", style="title")
    widest = max(len(group.cause) for group in triage.groups)
    for group in triage.groups:
        share = f"{group.count / triage.reports:.0%}"
        yield Line(
            mark=f"{group.count:>6} {share:>4}  {group.cause.ljust(widest)}", text=told(group), style="faint"
        )


def told(group: Group) -> str:
    """What a group is about, in words."""
    words = WORDS.get(group.cause, group.title)
    some = ", ".join(group.reports[:3])
    more = " …" if group.count > 3 else ""
    return f"{words} ({some}{more})"
