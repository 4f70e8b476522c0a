"""A file on a server, read in pieces: what a wheel requires without downloading the wheel."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

from dlsetup.model.errors import DataError

PIECE = 128 * 1024
METADATA_LIMIT = 8 * 1024 * 1024

Ask = Callable[[int, int], bytes]
"""First byte and the one after the last to the bytes between."""


class Pieces(io.RawIOBase):
    """A file of known size whose bytes are asked for when they are read."""

    def __init__(self, size: int, ask: Ask) -> None:
        self._size = size
        self._ask = ask
        self._place = 0

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
        piece = self._ask(self._place, end)
        buffer[: len(piece)] = piece
        self._place += len(piece)
        return len(piece)


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
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as exc:
        raise DataError(f"{where}: {exc}") from exc
