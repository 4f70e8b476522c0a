"""A lock, made in a folder that is gone afterwards."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from dlsetup.act.carry_out import carry_out
from dlsetup.act.environment import Runner
from dlsetup.model.steps import Step
from dlsetup.plan.environment import Place


def locked_text(steps_for: Callable[[Place], Sequence[Step]], run: Runner) -> str:
    """The text of the lock that the steps lead to. Raises `StepFailed` with uv's own words."""
    with _folder() as place:
        for _ in carry_out(steps_for(place), run):
            pass
        return Path(place.lock).read_text("utf-8")


@contextmanager
def _folder() -> Iterator[Place]:
    with tempfile.TemporaryDirectory(prefix="dlsetup-lock-") as folder:
        yield Place(final=folder, work=folder, windows=sys.platform == "win32")
