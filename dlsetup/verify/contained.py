"""A host on which nothing stays behind: whatever a program began ends with it."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from dlsetup.probe.host import Host
from dlsetup.probe.programs import Outcome

MARK = "DLSETUP_PROVES"
"""Variable by which a process is known that left the group of the program it comes from."""


class Contained:
    """Runs programs on a host, and ends what they began and left."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def run(self, argv: Sequence[str], deadline: float) -> Outcome:
        """Runs a program for at most so many seconds."""
        mark = uuid.uuid4().hex
        try:
            return self._host.run(argv, deadline, **{MARK: mark})
        finally:
            _end_marked(mark)


def _end_marked(mark: str) -> None:
    """Kills every process that has inherited the mark; those of others cannot be read, and are none of it."""
    import psutil

    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == mark:
                process.kill()
        except (psutil.Error, OSError):
            continue
