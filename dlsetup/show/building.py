"""What is said while something is built."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from dlsetup.model.record import Unknown
from dlsetup.model.resolution import Plan
from dlsetup.model.steps import Procedure, Step, Tell, Write
from dlsetup.plan.lock import Lock
from dlsetup.show.lines import Line
from dlsetup.show.words import counted, size


def step_line(step: Step) -> Line:
    """The step that begins."""
    return Line(mark="·", text=step.text if isinstance(step, Tell) else step.why, style="note")


def file_lines(procedure: Procedure) -> Iterator[Line]:
    """The files of a procedure, to be copied."""
    for step in procedure.steps:
        if isinstance(step, Write):
            yield Line(text=PurePath(step.path).name, style="title")
            yield from (Line(text=row, indent=2, wrap=False) for row in step.text.splitlines())


def weight_line(plan: Plan, lock: Lock | None) -> Line:
    """What is to be fetched: exactly where a lock says it, else what is known of the frameworks."""
    if lock is not None:
        weight = lock.download_bytes
        if weight == 0:
            return Line(text=f"To install: {counted(lock.packages, 'package')}, all of them on this machine.")
        words = "of unknown size" if isinstance(weight, Unknown) else f"of {size(weight)}"
        return Line(text=f"To fetch: {counted(lock.packages, 'package')} {words}, less what is cached.")
    known = [pick.size_bytes for pick in plan.picks if not isinstance(pick.size_bytes, Unknown)]
    least = f"at least {size(sum(known))}" if known else "of unknown size"
    return Line(text=f"To fetch: {counted(len(plan.picks), 'framework')}, {least}, and what they need.")
