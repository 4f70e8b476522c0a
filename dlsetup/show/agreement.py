"""The one question that a command asks, and what it says before."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from dlsetup.model.errors import UsageError
from dlsetup.show.lines import Line, write

DECLINED = 130
"""Exit code of a command to which the user says no."""


def can_ask() -> bool:
    """Whether somebody sits there: a script or a pipe cannot answer."""
    return sys.stdin is not None and sys.stdin.isatty()


def must_be_able_to_ask(*, hint: str) -> None:
    """Refuses before the work what nobody could agree to after it. Raises `UsageError`."""
    if not can_ask():
        raise UsageError("nobody can be asked: standard input is no terminal.", hint=hint)


def meanwhile(lines: Iterable[Line], *, as_json: bool, asks: bool) -> None:
    """What is said before the end. With `--json` only a person who is asked gets to see it."""
    if not as_json:
        write(lines)
        sys.stdout.flush()
    elif asks:
        write(lines, sys.stderr)


def agreed(question: str) -> bool:
    """Asks on standard error, which is never redirected into a file by accident. No answer is no."""
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
