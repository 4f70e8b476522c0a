"""Many reports: a folder, or one JSON object a line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from dlsetup.intake.texts import Text, text_of, texts_of
from dlsetup.model.errors import DataError, UsageError

LARGEST = 20 << 20
"""Bytes of a line of JSON; a longer one is cut, and is then none."""
LONGEST_NAME = 200


class Parcel(NamedTuple):
    """One report, not read yet: it goes to whoever reads it."""

    name: str
    path: str = ""
    """A file, or a folder whose files are one report."""
    row: bytes = b""
    """A line of JSON."""


def parcels(place: str) -> Iterator[Parcel]:
    """The reports of a folder (each file, and each folder in it), of a file of JSON lines, or of `-`.

    Raises `UsageError` where there is none.
    """
    if place == "-":
        yield from _rows(sys.stdin.buffer)
        return
    path = Path(place)
    if path.is_dir():
        for item in sorted(path.iterdir()):
            if item.is_dir() or item.is_file():
                yield Parcel(item.name, str(item))
        return
    if not path.is_file():
        hint = "name a folder of reports, or a file of JSON lines"
        raise UsageError(f"there is no folder or file `{place}`", hint=hint)
    with path.open("rb") as file:
        yield from _rows(file)


def texts_in(parcel: Parcel) -> tuple[Text, ...]:
    """The texts of one report, each with its name. Raises `UsageError` or `DataError`."""
    if parcel.path:
        path = Path(parcel.path)
        return texts_of([parcel.path]) if path.is_dir() else (text_of(path),)
    return tuple(_texts(_parsed(parcel.row)))


def _rows(file: IO[bytes]) -> Iterator[Parcel]:
    """A line that is too long is one report that cannot be read, and costs no more than that."""
    number = 0
    while row := file.readline(LARGEST + 1):
        number += 1
        if number == 1 and not row.lstrip().startswith(b"{"):
            hint = "one report is read by `dlsetup doctor --from FILE`, a folder of them by `triage FOLDER`"
            raise UsageError("these are no lines of JSON objects", hint=hint)
        end = row
        while not end.endswith(b"\n") and (end := file.readline(LARGEST)):
            pass
        if row.strip():
            yield Parcel(_name(row, number), row=row)


def _name(row: bytes, number: int) -> str:
    """What the object calls itself: `id`, `number`, `name` or `title`; or else its line."""
    try:
        value = json.loads(row)
    except (ValueError, RecursionError):
        return f"line {number}"
    for key in ("id", "number", "name", "title"):
        found = value.get(key) if isinstance(value, dict) else None
        if isinstance(found, (str, int)) and not isinstance(found, bool) and str(found):
            return str(found)[:LONGEST_NAME]
    return f"line {number}"


def _parsed(row: bytes) -> dict[str, Any]:
    try:
        value = json.loads(row)
    except (ValueError, RecursionError) as exc:
        raise DataError("the line is no JSON") from exc
    if not isinstance(value, dict):
        raise DataError("the line is no JSON object")
    return value


def _texts(value: dict[str, Any]) -> Iterator[Text]:
    """`files` by name, or the words of an issue: `text`, `body`, and of each of its comments."""
    files = value.get("files")
    found = [(str(name), text) for name, text in files.items()] if isinstance(files, dict) else []
    found += [(key, value[key]) for key in ("title", "text", "body", "log") if key in value]
    comments = value.get("comments")
    if isinstance(comments, list):
        bodies = (item.get("body") if isinstance(item, dict) else item for item in comments)
        found += [(f"comment {number}", body) for number, body in enumerate(bodies, start=1)]
    texts = [(name, text) for name, text in found if isinstance(text, str)]
    if not texts:
        raise DataError("the object holds no `text`, `body` or `files`")
    for name, text in texts:
        yield Text(name, text.encode("utf-8", "replace"))
