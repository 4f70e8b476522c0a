"""Carries out steps, one after the other. Each is told before it is done."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from dlsetup.model.errors import StepFailed
from dlsetup.model.steps import Remove, Run, Step, Write


def carry_out(steps: Iterable[Step], run: Callable[[Run], None]) -> Iterator[Step]:
    """Yields each step, then does it. `run` raises what a program's failure means."""
    for step in steps:
        yield step
        if isinstance(step, Run):
            run(step)
        elif isinstance(step, Write):
            write(step)
        elif isinstance(step, Remove):
            remove(step)


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


def remove(step: Remove) -> None:
    """Takes a file or folder away; what is not there is gone. Raises `StepFailed`."""
    path = Path(step.path)
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise StepFailed(
            f"`{step.path}` cannot be removed: {error.strerror}.", hint="check whose it is."
        ) from error
