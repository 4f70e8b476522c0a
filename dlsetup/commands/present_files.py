"""The files of a folder that a plan may have to be written into."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from dlsetup.model.errors import UsageError
from dlsetup.plan.draft import unreadable

LARGEST = 32 << 20


def folder_of(into: str) -> str:
    """The folder that files go to, as an absolute path. Raises `UsageError` where there is none."""
    if not into or "\0" in into or not os.path.isdir(into):
        shown = into.replace("\0", "?")
        raise UsageError(f"there is no folder `{shown}`", hint="make it first, or name another with `--into`")
    return os.path.realpath(into)


def present(folder: str, names: Sequence[str], *, force: bool) -> tuple[tuple[str, str], ...]:
    """Those of the files that are there, with their text. `force`: what is no text is to be replaced.

    Raises `UsageError` for what is no file, `Unreadable` for what is no text.
    """
    found: list[tuple[str, str]] = []
    for name in names:
        place = Path(folder, name)
        if not os.path.lexists(place):
            continue
        if not place.is_file():
            raise UsageError(f"`{place}` is no file", hint="move it away, or name another folder")
        try:
            found.append((name, _text(place, name)))
        except OSError as error:
            hint = "name another folder with `--into`"
            raise UsageError(f"`{place}` cannot be read: {error.strerror}", hint=hint) from error
        except UnicodeDecodeError as error:
            if not force:
                raise unreadable(name, "it is no text in UTF-8") from error
            # There is something, and it is not what shall be there.
            found.append((name, "\n"))
    return tuple(found)


def _text(place: Path, name: str) -> str:
    with place.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise unreadable(name, f"it is larger than {LARGEST >> 20} MiB")
    return data.decode("utf-8-sig")
