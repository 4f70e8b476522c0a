"""The one question that a command asks."""

from __future__ import annotations

import sys

from dlsetup.model.errors import UsageError


def can_ask() -> bool:
    """Whether somebody sits there: a script or a pipe cannot answer."""
    return sys.stdin is not None and sys.stdin.isatty()


def must_be_able_to_ask(*, hint: str) -> None:
    """Refuses before the work what nobody could agree to after it. Raises `UsageError`."""
    if not can_ask():
        raise UsageError("nobody can be asked: standard input is no terminal.", hint=hint)


def agreed(question: str) -> bool:
    """Asks on standard error, which is never redirected into a file by accident. No answer is no."""
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
