"""A diagnosis in words: what is, because, hint; then what is unknown; then one line in sum."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from dlsetup.model.finding import Diagnosis, Finding, Remedy, Scope, Severity
from dlsetup.model.machine import Gap, Machine
from dlsetup.show.detail import detail_lines
from dlsetup.show.lines import Line, Style, command
from dlsetup.show.machine import machine_lines
from dlsetup.show.words import counted, flowing

MARKS: dict[Severity, tuple[str, Style]] = {
    "error": ("✗", "bad"),
    "warning": ("!", "warning"),
    "note": ("·", "note"),
}
CENTRAL = ("driver", "gpu", "environment")
"""Beginnings of facts without which it means little that no problem was found."""
PLACES: dict[Scope, str] = {
    "environment": "",
    "host": " (this machine)",
    "container-host": " (the container's host)",
    "windows": " (the Windows side)",
    "project": " (the project)",
}


class Saying(NamedTuple):
    """How much is said."""

    verbose: bool = False
    """With every remedy, source, environment and library."""
    mend: str = ""
    """The command that takes errors away by itself, where there is one."""
    line: Callable[[str], str] | None = None
    """Given a source, the line of a report; None: lines are not shown."""


PLAINLY = Saying()


def doctor_lines(
    machine: Machine, diagnosis: Diagnosis, frameworks: Collection[str] = (), saying: Saying = PLAINLY
) -> Iterator[Line]:
    """The whole answer of the doctor."""
    yield Line(text="The machine of the report" if machine.partial else "This machine", style="title")
    yield from machine_lines(machine, frameworks)
    if saying.verbose:
        yield from detail_lines(machine)
    for finding in diagnosis.findings:
        yield Line()
        yield from finding_lines(finding, verbose=saying.verbose, line=saying.line)
    gaps = diagnosis.unknown + tuple(gap for gap in machine.gaps if gap not in diagnosis.unknown)
    told = gaps if saying.verbose else _worth_telling(gaps, diagnosis)
    if told:
        yield Line()
    for gap in told:
        yield from gap_lines(gap)
    yield Line()
    yield summary(diagnosis, unknown=len(gaps), untold=len(gaps) - len(told))
    if saying.mend:
        yield Line(
            mark="hint:", text=f"`{saying.mend}` mends what can be mended in the environment", style="good"
        )


def _worth_telling(gaps: Sequence[Gap], diagnosis: Diagnosis) -> tuple[Gap, ...]:
    """What checks would have to know; and where they found no error, what that may be due to."""
    return tuple(
        gap for gap in gaps if gap in diagnosis.unknown or (diagnosis.well and gap.fact.startswith(CENTRAL))
    )


def finding_lines(
    finding: Finding, *, verbose: bool = False, line: Callable[[str], str] | None = None
) -> Iterator[Line]:
    """One finding; without `verbose` only its first remedy. `line` gives the lines that it rests on."""
    mark, style = MARKS[finding.severity]
    yield Line(mark=mark, text=f"{finding.title}  [{finding.id}]", style=style)
    if finding.because:
        yield Line(mark="because", text=flowing(finding.because), indent=2, style="faint")
    for item in dict.fromkeys(finding.evidence):
        source = f" (from {item.source})" if item.source else ""
        yield Line(mark="seen   ", text=f"{item.fact}: {item.value}{source}", indent=2, style="faint")
        text = line(item.source) if line else ""
        if text and text != item.value:
            yield Line(mark=item.source.partition(",")[0], text=text[:200], indent=10, style="faint")
    for remedy in finding.remedies if verbose else finding.remedies[:1]:
        yield from _remedy(remedy)
    if verbose:
        for source in finding.rests_on:
            yield Line(mark="source ", text=source, indent=2, style="faint")
    elif len(finding.remedies) > 1:
        more = counted(len(finding.remedies) - 1, "other way")
        yield Line(text=f"{more}: `dlsetup doctor -v`", indent=10, style="faint")


def _remedy(remedy: Remedy) -> Iterator[Line]:
    place = PLACES[remedy.scope]
    yield Line(mark="hint   ", text=f"{remedy.text}{place}", indent=2, style="good")
    for item in remedy.commands:
        yield command(item, indent=10)


def gap_lines(gap: Gap) -> Iterator[Line]:
    """What is not known, why, and the command that would tell."""
    yield Line(mark="?", text=f"{gap.fact} is unknown: {gap.reason}", style="warning")
    if gap.ask:
        yield Line(mark="ask    ", text=gap.ask, indent=2, style="faint", wrap=False)


def summary(diagnosis: Diagnosis, *, unknown: int = 0, untold: int = 0) -> Line:
    """The last line: how many of each, and where to begin. `untold` of the unknown facts are not listed."""
    kinds: tuple[Severity, ...] = ("error", "warning", "note")
    counts = [(kind, sum(item.severity == kind for item in diagnosis.findings)) for kind in kinds]
    text = ", ".join(counted(number, kind) for kind, number in counts if number)
    more = " (`-v` lists them)" if untold else ""
    gaps = f"; {counted(unknown, 'fact')} unknown{more}" if unknown else ""
    primary = next((item for item in diagnosis.findings if item.role == "primary"), None)
    if not diagnosis.well:
        begin = f". Begin with `{primary.id}`" if primary and len(diagnosis.findings) > 1 else ""
        return Line(mark="✗", text=f"{text}{gaps}{begin}.", style="bad")
    if counts[1][1]:
        return Line(mark="!", text=f"No error; {text}{gaps}.", style="warning")
    return Line(mark="✓", text=f"No problem found{f'; {text}' if text else ''}{gaps}.", style="good")
