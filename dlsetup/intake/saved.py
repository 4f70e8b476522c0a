"""A machine out of a file that `dlsetup doctor --save-machine` wrote, here or elsewhere."""

from __future__ import annotations

from pathlib import Path

from dlsetup.model.codec import decode
from dlsetup.model.errors import DataError, UsageError
from dlsetup.model.machine import Machine

SIZE_LIMIT = 20 << 20


def read(path: Path) -> Machine:
    """The saved machine. Raises `UsageError` if it cannot be read, `DataError` if it is something else."""
    try:
        with path.open("rb") as file:
            text = file.read(SIZE_LIMIT + 1)
    except (OSError, ValueError) as exc:
        reason = getattr(exc, "strerror", None) or str(exc)
        hint = "`dlsetup doctor --save-machine FILE` writes such a file"
        raise UsageError(f"the machine file `{path}` cannot be read: {reason}", hint=hint) from exc
    if len(text) > SIZE_LIMIT:
        raise DataError(f"{path}: larger than {SIZE_LIMIT >> 20} MiB, which no saved machine is")
    return parse(text, str(path))


def parse(text: bytes, where: str) -> Machine:
    """A machine out of the text of such a file. Raises `DataError` with what is wrong in it."""
    try:
        return decode(text, Machine, where=where)
    except DataError as exc:
        exc.hint = "`dlsetup schema machine` prints what the file has to look like"
        raise
