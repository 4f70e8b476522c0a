"""Files that are written at the end of long work: whether they can be is asked before it begins."""

from __future__ import annotations

from pathlib import Path

from dlsetup.model.errors import UsageError


def check_destination(file: str | None, option: str) -> None:
    """Raises `UsageError` for a name that no file can be written under. None: no file is asked for."""
    if file is None:
        return
    hint = f"`{option} FILE` names a file in a folder that is there"
    if not file:
        raise UsageError("no file is named to write", hint=hint)
    place = Path(file)
    if place.is_dir() or not place.parent.is_dir():
        raise UsageError(f"`{file}` cannot be written", hint=hint)
