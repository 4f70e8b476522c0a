"""What was seen of a program that was watched, and its explanation, in words and as a document."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Literal

from dlsetup.model.explanation import Answer, Explained
from dlsetup.model.finding import Finding
from dlsetup.model.machine import Gap
from dlsetup.model.record import Record
from dlsetup.model.use import Seen
from dlsetup.show.explain import explained_lines, verdict_lines
from dlsetup.show.lines import WIDTH, Line
from dlsetup.show.words import size


class RunDocument(Record, frozen=True, kw_only=True):
    """`ok` where the command ended with exit code 0."""

    schema: Literal["dlsetup.run/1"] = "dlsetup.run/1"
    ok: bool
    seen: Seen
    explained: tuple[Explained, ...] = ()
    findings: tuple[Finding, ...] = ()
    unknown: tuple[Gap, ...] = ()

    @classmethod
    def of(cls, seen: Seen, answer: Answer) -> RunDocument:
        return cls(
            ok=seen.ok,
            seen=seen,
            explained=answer.explained,
            findings=answer.findings,
            unknown=answer.unknown,
        )


def failure_lines(seen: Seen, answer: Answer, *, verbose: bool = False) -> Iterator[Line]:
    """What follows the output of a command that failed."""
    yield Line(text="─" * WIDTH, style="faint", wrap=False)
    yield Line(
        mark="✗", text=f"`{_command(seen)}` ended with {_end(seen)} after {seen.seconds:g} s", style="bad"
    )
    yield Line(mark="seen   ", text=peaks(seen), indent=2, style="faint")
    if not answer.explained:
        text = "nothing that it said, and nothing of its end, is known to the catalog"
        yield Line(mark="?", text=text, indent=2, style="warning")
    else:
        yield Line()
    yield from explained_lines(answer.explained, verbose=verbose)
    yield from verdict_lines(answer.findings, verbose=verbose)


def summary_lines(seen: Seen) -> Iterator[Line]:
    """One line on what a command took."""
    yield Line(
        mark="·", text=f"{_end(seen)} after {seen.seconds:g} s; {peaks(seen)}", style="note", wrap=False
    )


def peaks(seen: Seen) -> str:
    """The most that was in use while it ran; what nobody could see is left out."""
    parts = []
    if isinstance(seen.memory_peak_bytes, int) and seen.memory_peak_bytes:
        limit = seen.memory_limit_bytes
        bound = f" (limit {size(limit)})" if isinstance(limit, int) else ""
        parts.append(f"at most {size(seen.memory_peak_bytes)} of memory{bound}")
    for gpu in seen.gpus if isinstance(seen.gpus, tuple) else ():
        before = f", {size(gpu.before_bytes)} before it" if gpu.before_bytes else ""
        parts.append(f"GPU {gpu.index}: at most {size(gpu.peak_bytes)} of {size(gpu.total_bytes)}{before}")
    if isinstance(seen.oom_kills, int) and seen.oom_kills:
        parts.append(f"the kernel ended {seen.oom_kills} for want of memory")
    return "; ".join(parts) or "it was too short to see what it used"


def _command(seen: Seen) -> str:
    text = shlex.join(seen.command)
    return text if len(text) <= 100 else f"{text[:100]}…"


def _end(seen: Seen) -> str:
    return f"{seen.signal} (exit code {seen.exit_code})" if seen.signal else f"exit code {seen.exit_code}"
