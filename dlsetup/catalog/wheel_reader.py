"""The shared objects in a wheel that lies on an index, read without downloading the rest of the wheel."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path

from dlsetup.model.errors import DataError

PIECE = 8 * 1024 * 1024
"""Bytes that are asked for at a time."""
LEAST = 64 * 1024
"""No smaller shared object holds GPU code worth a download."""
LIMIT = 8 * 1024**3
"""Bytes that one shared object may have when it is unpacked."""
SHOWN = 64 * 1024 * 1024
"""From this size on progress is told."""
LIBRARY = re.compile(r"\.(so(\.\d+)*|dll|pyd)$")

Say = Callable[[str], None]


@contextmanager
def unzipping(file: io.BufferedReader, where: str) -> Iterator[zipfile.ZipFile]:
    """The wheel, its list of files read. Whatever is wrong with it comes out as `DataError`."""
    try:
        with zipfile.ZipFile(file) as wheel:
            yield wheel
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError) as exc:
        raise DataError(f"{where}: {exc}") from exc


def libraries(wheel: zipfile.ZipFile, pattern: str = "*") -> list[zipfile.ZipInfo]:
    """Its shared objects whose path fits `pattern`, the largest first."""
    found = [
        item
        for item in wheel.infolist()
        if LIBRARY.search(item.filename) and item.file_size >= LEAST and fnmatch(item.filename, pattern)
    ]
    return sorted(found, key=lambda item: (-item.file_size, item.filename))


def unpack(wheel: zipfile.ZipFile, member: zipfile.ZipInfo, place: Path, say: Say) -> None:
    """Writes one file of the wheel to `place`, piece by piece. Raises `DataError` for one beyond any size."""
    if member.file_size > LIMIT:
        raise DataError(f"{member.filename}: {member.file_size} bytes are more than any library has")
    written, told = 0, 0 if member.file_size >= SHOWN else 100
    with wheel.open(member) as source, place.open("wb") as file:
        while piece := source.read(PIECE):
            written += file.write(piece)
            part = 100 * written // member.file_size
            if part >= told + 20:
                told = part
                say(f"  {member.filename}: {part} % of {member.file_size / 1e6:.0f} MB")
