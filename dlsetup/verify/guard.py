"""`python guard.py MARK`: waits until whoever began it is gone, and then ends what that has left running.

A process of its own, because who is killed can end nothing. It hears the end of its standard input, which
nobody else holds.
"""

from __future__ import annotations

import sys

MARK = "DLSETUP_PROVES"
"""Variable by which a process is known that left the group of the program it comes from."""
PASSES = 20
"""Looks at all processes: what is ended may have begun another meanwhile."""


def end_marked(mark: str) -> None:
    """Kills every process that has inherited the mark; those of others cannot be read, and are none of it."""
    import psutil

    for _ in range(PASSES):
        killed = False
        for process in psutil.process_iter():
            try:
                if process.environ().get(MARK) == mark:
                    process.kill()
                    killed = True
            except (psutil.Error, OSError):
                continue
        if not killed:
            return


if __name__ == "__main__":
    del sys.path[0]
    sys.stdin.buffer.read()
    end_marked(sys.argv[1])
