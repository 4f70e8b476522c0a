"""Carries out steps, one after the other. Each is told before it is done."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from dlsetup.model.errors import StepFailed
from dlsetup.model.steps import Run, Step, Write


def carry_out(steps: Iterable[Step], run: Callable[[Run], None]) -> Iterator[Step]:
    """Yields each step, then does it. `run` raises what a program's failure means."""
    for step in steps:
        yield step
        if isinstance(step, Run):
            run(step)
        elif isinstance(step, Write):
            write(step)


def write(step: Write) -> None:
    """Writes a file and the folders it needs. Raises `StepFailed`."""
    path = Path(step.path)
    try:
        os.makedirs(path.parent, exist_ok=True)
        path.write_text(step.text, "utf-8")
    except OSError as error:
        raise StepFailed(
            f"`{step.path}` cannot be written: {error.strerror}.", hint="check the space that is left."
        ) from error
