"""What was proved, as words and as a document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec.structs import replace

from dlsetup.model.capability import Absent, Capability, Proved, Verdict
from dlsetup.model.machine import Environment
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.show.doctor import finding_lines
from dlsetup.show.environment import python_of, with_python
from dlsetup.show.explain import explained_lines
from dlsetup.show.lines import Line, Style
from dlsetup.show.words import counted, size

MARKS: dict[Verdict, tuple[str, Style]] = {
    "yes": ("✓", "good"),
    "no": ("✗", "bad"),
    "unknown": ("?", "warning"),
}
ROOM = 24
"""Signs for the name of a capability."""


class VerifyDocument(Record, frozen=True, kw_only=True):
    """`ok`: nothing that was tried has failed."""

    schema: Literal["dlsetup.verify/1"] = "dlsetup.verify/1"
    ok: bool
    environment: str
    python: str | Unknown = UNKNOWN
    proved: tuple[Proved, ...] = ()
    """In the order in which they were tried."""
    absent: tuple[Absent, ...] = ()
    """What was not asked for, because something is not installed."""
    planned: tuple[Capability, ...] = ()
    """With `--list`: what would be tried."""

    @classmethod
    def of(
        cls,
        environment: Environment,
        proved: tuple[Proved, ...],
        absent: tuple[Absent, ...],
        planned: tuple[Capability, ...] = (),
    ) -> VerifyDocument:
        return cls(
            ok=all(item.verdict != "no" for item in proved),
            environment=environment.path,
            python=python_of(environment),
            proved=proved,
            absent=absent,
            planned=planned,
        )


def subject_lines(environment: Environment, count: int) -> Iterator[Line]:
    """What is looked at, before the first program has ended."""
    yield Line(text=f"{with_python(environment)}: {counted(count, 'program')}", style="title")


def proved_lines(proved: Proved, *, verbose: bool = False) -> Iterator[Line]:
    """One capability on a line, with its cost; a failure with its cause, and what mends it."""
    mark, style = MARKS[proved.verdict]
    cost = [
        *([] if isinstance(proved.device, Unknown) else [proved.device]),
        *([] if isinstance(proved.seconds, Unknown) else [f"{proved.seconds:.1f} s"]),
        *([] if isinstance(proved.peak_bytes, Unknown) else [size(proved.peak_bytes)]),
        *(
            []
            if isinstance(proved.gpu_peak_bytes, Unknown)
            else [f"{size(proved.gpu_peak_bytes)} of the GPU"]
        ),
    ]
    told = f" ({', '.join(cost)})" if cost and proved.verdict != "unknown" else ""
    yield Line(mark=f"{mark} {proved.id:{ROOM}}", text=f"{proved.title}{told}", style=style)
    if verbose and proved.evidence:
        yield Line(mark="seen   ", text="; ".join(proved.evidence), indent=2, style="faint")
    if proved.because:
        yield Line(mark="because", text=proved.because, indent=2, style="faint")
    yield from _meaning(proved, verbose)
    if proved.hint and not proved.findings:
        yield Line(mark="hint   ", text=proved.hint, indent=2, style="good")
    for finding in proved.findings:
        yield from (_inward(line) for line in finding_lines(finding, verbose=verbose))


def _meaning(proved: Proved, verbose: bool) -> Iterator[Line]:
    """What a failure means: in full where it is asked for, in short where the doctor has found nothing."""
    if verbose:
        yield from map(_inward, explained_lines(proved.explained, verbose=True))
    elif proved.explained and not proved.findings:
        item = proved.explained[0]
        yield Line(mark="means  ", text=f"{item.title}  [{item.id}]", indent=2, style="bad")
        yield from (Line(mark="here   ", text=text, indent=2, style="note") for text in item.here)
        text = f"`dlsetup explain {item.id}` tells the causes, and what to do about each"
        yield Line(mark="hint   ", text=text, indent=2, style="good")


def _inward(line: Line) -> Line:
    return replace(line, indent=line.indent + 2)


def sum_lines(document: VerifyDocument, *, verbose: bool = False) -> Iterator[Line]:
    """How many of each, and what was not asked for."""
    if verbose:
        for item in document.absent:
            text = f"{item.id} is not asked for: {', '.join(item.needs)} is not installed"
            yield Line(mark="·", text=text, style="note")
    failed = [item.id for item in document.proved if item.verdict == "no"]
    untried = sum(item.verdict == "unknown" for item in document.proved)
    proved = len(document.proved) - len(failed) - untried
    more = f", {untried} could not be tried" if untried else ""
    yield Line()
    if failed:
        yield Line(mark="✗", text=f"{', '.join(failed)} failed; {proved} proved{more}.", style="bad")
    else:
        yield Line(mark="✓", text=f"{proved} proved{more}; nothing failed.", style="good")
