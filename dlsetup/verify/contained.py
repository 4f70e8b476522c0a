"""A host on which nothing stays behind: whatever a program began ends with it, and with us."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from dlsetup.probe.host import Host
from dlsetup.probe.programs import Outcome
from dlsetup.verify.guard import MARK, end_marked

GUARD = Path(__file__).with_name("guard.py")


class Contained:
    """Runs programs on a host, and ends what they began and left; inside `with`, also if we are killed."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._mark = uuid.uuid4().hex
        self._guard: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Contained:
        with contextlib.suppress(OSError):
            self._guard = subprocess.Popen(
                [sys.executable, str(GUARD), self._mark],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._guard is not None:
            self._guard.kill()
            self._guard.communicate()

    def run(self, argv: Sequence[str], deadline: float) -> Outcome:
        """Runs a program for at most so many seconds."""
        try:
            return self._host.run(argv, deadline, **{MARK: self._mark})
        finally:
            end_marked(self._mark)
