"""Texts as they lie in files or come in: of a huge one the beginning and the end."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from dlsetup.model.errors import UsageError

HALF = 6 << 20
"""Bytes that are read of the beginning, and of the end, of a text that is larger than both."""
MOST_FILES = 500
_HINT = "name a report, a folder of its files, or `-`"


class Text(NamedTuple):
    """What one file holds."""

    name: str
    data: bytes
    left_out: int = 0
    """Lines in its middle that were not read; they follow the first `HALF` bytes."""


def texts_of(places: Sequence[str]) -> tuple[Text, ...]:
    """The texts of files, of all files of folders, of standard input (`-`), by names that tell them apart.

    Raises `UsageError` for what cannot be read.
    """
    found = [(place, text) for place in places for text in _texts(place)]
    names = Counter(text.name for _, text in found)
    return tuple(text if names[text.name] < 2 else text._replace(name=place) for place, text in found)


def text_of(path: Path, name: str = "") -> Text:
    """The text of an ordinary file. Raises `UsageError`."""
    try:
        if not path.is_file():
            raise UsageError(f"there is no file `{path}`", hint=_HINT)
        with path.open("rb") as file:
            return bounded(name or path.name, file)
    except (OSError, ValueError) as exc:
        reason = getattr(exc, "strerror", None) or str(exc)
        raise UsageError(f"`{path}` cannot be read: {reason}", hint=_HINT) from exc


def bounded(name: str, file: IO[bytes]) -> Text:
    """Beginning and end of what comes in; the lines between are only counted."""
    first = file.read(HALF)
    last = file.read(HALF)
    lines = 0
    while more := file.read(HALF):
        lines += last[: len(more)].count(b"\n")
        last = last[len(more) :] + more
    return Text(name, first + last, lines)


def _texts(place: str) -> Iterator[Text]:
    path = Path(place)
    if place == "-":
        yield bounded("standard input", sys.stdin.buffer)
    elif path.is_dir():
        files = sorted(item for item in path.rglob("*") if item.is_file())
        if len(files) > MOST_FILES:
            hint = "`dlsetup triage FOLDER` reads a folder of many reports"
            raise UsageError(f"`{place}` holds more than {MOST_FILES} files", hint=hint)
        yield from (text_of(item, str(item.relative_to(path))) for item in files)
    else:
        yield text_of(path)
