"""What CUDA fat binaries hold, read from their headers: the code itself may stay compressed.

A section of a shared object is a row of fat binaries, in little-endian order. Each begins with a header
(magic, version, size of the header, size of what follows), and each piece of code in it with one of its
own: kind, version, size of the header, size of the code, …, architecture at byte 28, …, flags at byte 40.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO

from dlsetup.model.errors import DataError
from dlsetup.model.record import Record
from dlsetup.model.versions import ComputeCapability

MAGIC = 0xBA55ED50
HEADER = struct.Struct("<IHHQ")
CODE_HEADER = struct.Struct("<HHIQ12xI8xQ16x")
PTX = 1
KERNEL = 2
THIS_ONE_ALONE = 1 << 20
"""Flag of code for `sm_90a`. What is compiled for a family (`sm_120f`) has the next bit, and runs like
code for `sm_120`: on the same major and the same or a higher minor."""
PIECE = 4096
MOST = 1_000_000
"""More pieces of code than any library has."""


class Code(Record, frozen=True, kw_only=True, order=True):
    """Code for one architecture."""

    capability: ComputeCapability
    ptx: bool
    """PTX, which a driver compiles for newer GPUs; else machine code."""
    exact: bool
    """Made for that very capability: neither newer GPUs nor higher minors run it (`sm_90a`)."""

    def __str__(self) -> str:
        number = f"{self.capability.major}{self.capability.minor}{'a' if self.exact else ''}"
        return f"{'compute' if self.ptx else 'sm'}_{number}"


def fat_binaries(file: BinaryIO, start: int, size: int) -> Iterator[frozenset[Code]]:
    """The code of each fat binary in a section of `size` bytes. Raises `DataError` for anything else."""
    place, end, seen = start, start + size, 0
    while (place := _past_padding(file, place, end)) < end:
        magic, _version, header, payload = HEADER.unpack(_read(file, place, HEADER.size, end))
        after = place + header + payload
        if magic != MAGIC or header < HEADER.size or after > end:
            raise DataError(f"no fat binary at byte {place - start} of a section of {size} bytes")
        found = list(_codes(file, place + header, after))
        seen += 1 + len(found)
        if seen > MOST:
            raise DataError(f"more than {MOST} pieces of code in one section")
        yield frozenset(code for code in found if code is not None)
        place = after


def _codes(file: BinaryIO, place: int, end: int) -> Iterator[Code | None]:
    """None stands for what is neither PTX nor machine code."""
    while place < end:
        kind, _version, header, size, architecture, flags = CODE_HEADER.unpack(
            _read(file, place, CODE_HEADER.size, end)
        )
        if header < CODE_HEADER.size or place + header + size > end:
            raise DataError("a piece of code ends beyond its fat binary")
        yield _code(kind, architecture, flags)
        place += header + size


def _code(kind: int, architecture: int, flags: int) -> Code | None:
    if kind not in (PTX, KERNEL):
        return None
    try:
        capability = ComputeCapability(f"{architecture // 10}.{architecture % 10}")
    except ValueError as exc:
        raise DataError(f"no architecture has the number {architecture}") from exc
    return Code(capability=capability, ptx=kind == PTX, exact=bool(flags & THIS_ONE_ALONE))


def _past_padding(file: BinaryIO, place: int, end: int) -> int:
    while place < end:
        file.seek(place)
        piece = file.read(min(PIECE, end - place))
        if not piece:
            raise DataError("the section ends beyond its file")
        rest = piece.lstrip(b"\0")
        place += len(piece) - len(rest)
        if rest:
            return place
    return end


def _read(file: BinaryIO, place: int, size: int, end: int) -> bytes:
    file.seek(place)
    found = file.read(size) if place + size <= end else b""
    if len(found) != size:
        raise DataError("a header ends beyond its section")
    return found
