"""A file on a server, read in pieces: what a wheel requires and holds, without downloading the wheel."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable

from dlsetup.model.errors import DataError
from dlsetup.model.record import Record

PIECE = 128 * 1024
TAIL = 72 * 1024
"""What is asked for at once from the end of a file: a ZIP's list of files begins or lies there, behind it
up to 64 KiB of comment."""
METADATA_LIMIT = 8 * 1024 * 1024
LIST_LIMIT = 64 * 1024 * 1024
"""Bytes of a wheel that reading its list of files may take."""
MOST_MEMBERS = 200_000

Ask = Callable[[int, int], bytes]
"""First byte and the one after the last to the bytes between."""


class Member(Record, frozen=True, kw_only=True, array_like=True):
    """One file in a wheel."""

    path: str
    """Where it is installed, from site-packages on."""
    size: int
    crc: int
    """The checksum that the wheel's list of files has of it."""


class Pieces(io.RawIOBase):
    """A file of known size whose bytes are asked for when they are read.

    Its end is asked for once and kept: a ZIP is read from there, in several small steps. `limit`: how many
    bytes may be asked for in all.
    """

    def __init__(self, size: int, ask: Ask, limit: int | None = None) -> None:
        self._size = size
        self._ask = ask
        self._left = limit
        self._place = 0
        self._tail_from = max(0, size - TAIL)
        self._tail: bytes | None = None

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence]
        self._place = max(0, start + offset)
        return self._place

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        end = min(self._place + len(buffer), self._size)
        if end <= self._place:
            return 0
        piece = self._from_tail(end) if self._place >= self._tail_from else self._asked(self._place, end)
        buffer[: len(piece)] = piece
        self._place += len(piece)
        return len(piece)

    def _from_tail(self, end: int) -> bytes:
        if self._tail is None:
            self._tail = self._asked(self._tail_from, self._size)
        return self._tail[self._place - self._tail_from : end - self._tail_from]

    def _asked(self, start: int, end: int) -> bytes:
        if self._left is not None:
            self._left -= end - start
            if self._left < 0:
                raise DataError("it takes too many bytes of the file to read what is looked for in it")
        return self._ask(start, end)


def members_in(file: io.BufferedReader, where: str) -> tuple[Member, ...]:
    """The files in a wheel, by its own list at its end. Raises `DataError` for what is no wheel."""
    try:
        with zipfile.ZipFile(file) as wheel:
            found = [item for item in wheel.infolist() if not item.is_dir()]
    except DataError as exc:
        raise DataError(f"{where}: {exc.message}") from exc
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as exc:
        raise DataError(f"{where}: {exc}") from exc
    if len(found) > MOST_MEMBERS:
        raise DataError(f"{where}: more than {MOST_MEMBERS} files inside")
    return tuple(Member(path=_installed(item.filename), size=item.file_size, crc=item.CRC) for item in found)


def _installed(path: str) -> str:
    """Where an installer puts a file: `NAME-1.0.data/purelib/` is another way to say site-packages."""
    return re.sub(r"^[^/]+\.data/(purelib|platlib)/", "", path)


def metadata_in(file: io.BufferedReader, where: str) -> bytes:
    """The METADATA file of a wheel. Raises `DataError` for what is no wheel."""
    try:
        with zipfile.ZipFile(file) as wheel:
            found = [
                item
                for item in wheel.infolist()
                if item.filename.count("/") == 1 and item.filename.endswith(".dist-info/METADATA")
            ]
            if len(found) != 1 or found[0].file_size > METADATA_LIMIT:
                raise DataError(f"{where}: no metadata of a sane size inside")
            return wheel.read(found[0])
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError) as exc:
        raise DataError(f"{where}: {exc}") from exc
