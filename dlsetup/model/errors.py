"""What can go wrong for the user, one class a way out.

    DlsetupError
    ├── UsageError        2    the request cannot be understood
    ├── StepFailed        3    a step failed; what it began was taken back
    ├── DataError         4    a file of facts, a profile or a saved machine is malformed
    └── ToolMissing       5    a program that is needed is not there

Exit codes beside these: 0 well, 1 findings of severity error or nothing fits, 130 interrupted,
70 our own bug.
"""

from __future__ import annotations


class DlsetupError(Exception):
    """A failure that is told in one sentence and one hint. `code` is stable, for programs."""

    code = "error"
    exit_code = 70

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(DlsetupError):
    code = "usage"
    exit_code = 2


class StepFailed(DlsetupError):
    code = "step-failed"
    exit_code = 3


class DataError(DlsetupError):
    code = "malformed-data"
    exit_code = 4


class ToolMissing(DlsetupError):
    code = "tool-missing"
    exit_code = 5
