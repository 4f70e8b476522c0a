"""What would be done, in words, before it is done."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from dlsetup.model.steps import Procedure, Remove, Run, Step, Write
from dlsetup.show.lines import Line, command


def procedure_lines(procedure: Procedure) -> Iterator[Line]:
    """The numbered steps of a procedure and its notes."""
    yield Line(text=procedure.title, style="title")
    for number, step in enumerate(procedure.steps, start=1):
        yield from _step(number, step)
    for note in procedure.notes:
        yield Line(mark="·", text=note, indent=2, style="note")


def _step(number: int, step: Step) -> Iterator[Line]:
    mark = f"{number}."
    if isinstance(step, Run):
        yield Line(mark=mark, text=step.why, indent=2)
        yield command(shown(step), indent=5)
    elif isinstance(step, Write):
        yield Line(mark=mark, text=f"{step.why}: writes `{step.path}`", indent=2)
    elif isinstance(step, Remove):
        yield Line(mark=mark, text=f"{step.why}: removes `{step.path}`", indent=2)
    else:
        yield Line(mark=mark, text=f"{step.text} (only you can do this)", indent=2, style="warning")
        for text in step.commands:
            yield command(text, indent=5)


def shown(step: Run) -> str:
    """A program call as it can be pasted into a POSIX shell, with what is added to its environment."""
    added = [f"{name}={shlex.quote(value)}" for name, value in step.env]
    return " ".join([*added, shlex.join(step.argv)])
