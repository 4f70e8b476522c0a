"""Texts as they lie in files or come in: of a huge one the beginning and the end."""

from __future__ import annotations

import os
import stat
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from dlsetup.model.errors import UsageError

HALF = 6 << 20
"""Bytes that are read of the beginning, and of the end, of a text that is larger than both."""
MOST_FILES = 500
MOST_BYTES = 4 << 30
"""Of what comes in: a pipe into which somebody writes for ever must come to an end too."""
_HINT = "name a report, a folder of its files, or `-`"


class Text(NamedTuple):
    """What one file holds."""

    name: str
    data: bytes
    left_out: int = 0
    """Lines in its middle that were not read; they follow the first `HALF` bytes."""
    unread: str = ""
    """Why nothing was read of it."""


def texts_of(places: Sequence[str]) -> tuple[Text, ...]:
    """The texts of files, of all files of folders, of standard input (`-`), by names that tell them apart.

    A file of a folder that cannot be read is a `Text` that says why. Raises `UsageError` for what was named
    itself and cannot be read, and for a folder of which nothing can.
    """
    found = [(place, text) for place in places for text in _texts(place)]
    names = Counter(text.name for _, text in found)
    return tuple(text if names[text.name] < 2 else text._replace(name=place) for place, text in found)


def text_of(path: Path, name: str = "") -> Text:
    """The text of an ordinary file or of a pipe. Raises `UsageError`."""
    try:
        kind = os.stat(path).st_mode
        if not (stat.S_ISREG(kind) or stat.S_ISFIFO(kind)):
            raise UsageError(f"`{path}` is no file and no pipe", hint=_HINT)
        with path.open("rb") as file:
            return bounded(name or path.name, file)
    except FileNotFoundError as exc:
        raise UsageError(f"there is no file `{path}`", hint=_HINT) from exc
    except (OSError, ValueError) as exc:
        reason = getattr(exc, "strerror", None) or str(exc)
        raise UsageError(f"`{path}` cannot be read: {reason}", hint=_HINT) from exc


def bounded(name: str, file: IO[bytes]) -> Text:
    """Beginning and end of what comes in; the lines between are only counted. Raises `UsageError`."""
    first = file.read(HALF)
    last = file.read(HALF)
    lines, size = 0, len(first) + len(last)
    while more := file.read(HALF):
        lines += last[: len(more)].count(b"\n")
        last = last[len(more) :] + more
        size += len(more)
        if size > MOST_BYTES:
            raise UsageError(
                f"{name} holds more than {MOST_BYTES >> 30} GiB", hint="cut out the part that counts"
            )
    return Text(name, first + last, lines)


def _texts(place: str) -> Iterator[Text]:
    if not place:
        raise UsageError("a report without a name cannot be read", hint=_HINT)
    path = Path(place)
    if place == "-":
        yield bounded("standard input", sys.stdin.buffer)
    elif _is_folder(path):
        yield from _of_folder(path)
    else:
        yield text_of(path)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _of_folder(folder: Path) -> list[Text]:
    """Every file below a folder. Raises `UsageError` where there are too many, or none that can be read."""
    locked: list[OSError] = []
    files: list[Path] = []
    for root, _, names in os.walk(folder, onerror=locked.append):
        files += [
            path for name in names if (path := Path(root, name)).is_file() or not os.access(path, os.R_OK)
        ]
        if len(files) > MOST_FILES:
            hint = "`dlsetup triage FOLDER` reads a folder of many reports"
            raise UsageError(f"`{folder}` holds more than {MOST_FILES} files", hint=hint)
    found = [_readable(path, str(path.relative_to(folder))) for path in sorted(files)]
    found += [Text(_below(folder, item), b"", unread=item.strerror or str(item)) for item in locked]
    if found and all(text.unread for text in found):
        raise UsageError(f"nothing in `{folder}` can be read: {found[0].unread}", hint=_HINT)
    return found


def _below(folder: Path, error: OSError) -> str:
    return os.path.relpath(str(error.filename), folder)


def _readable(path: Path, name: str) -> Text:
    try:
        return text_of(path, name)
    except UsageError as error:
        return Text(name, b"", unread=error.message)
