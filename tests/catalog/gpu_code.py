"""Shared objects with fat binaries inside, made byte by byte."""

from __future__ import annotations

import re
import struct

PTX, MACHINE_CODE, BLACKWELL_ONLY = 1, 2, 64
ROOM = 70_000
"""Bytes that make a library large enough to be looked at."""


def code(word: str, content: bytes = b"code" * 4, *, kind: int = 0, header: int = 64) -> bytes:
    """`sm_90a`, `sm_120f` or `compute_90` with its header. `kind` says another one than the word does."""
    found = re.fullmatch(r"(sm|compute)_(\d+)([af]?)", word)
    assert found
    flags = 0x11 | {"": 0, "a": 1 << 20, "f": 1 << 21}[found[3]]
    kind = kind or (PTX if found[1] == "compute" else MACHINE_CODE)
    head = struct.pack("<HHIQIIHHI", kind, 0x101, header, len(content), len(content), 0, 1, 7, int(found[2]))
    return (head + struct.pack("<IIQ16x", 0, 0, flags)).ljust(header, b"\0") + content


def fat_binary(*codes: str | bytes) -> bytes:
    """A fat binary with these pieces of code, in words or as `code` makes them."""
    inside = b"".join(item if isinstance(item, bytes) else code(item) for item in codes)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(inside)) + inside


def elf(*sections: tuple[str, bytes], room: int = ROOM) -> bytes:
    """A shared object of Linux with these sections, by name."""
    names, places, body = b"\0", [(0, 0, 0)], b"\0" * room
    for name, content in (*sections, (".shstrtab", b"")):
        places.append((len(names), 64 + len(body), len(content)))
        names += name.encode() + b"\0"
        body += content
    places[-1] = (places[-1][0], 64 + len(body), len(names))
    table = b"".join(_section_header(*place, number) for number, place in enumerate(places))
    start = 64 + len(body) + len(names)
    head = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    head += struct.pack(
        "<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, start, 0, 64, 56, 0, 64, len(places), len(places) - 1
    )
    return head + body + names + table


def _section_header(name: int, start: int, size: int, number: int) -> bytes:
    kind = 1 if number else 0
    return struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, start, size, 0, 0, 8, 0)


def pe(*sections: tuple[str, bytes], room: int = ROOM) -> bytes:
    """A library of Windows with these sections, by name; each is filled up to a round size."""
    heads, body, start = b"", b"", 0x400
    for name, content in (*sections, (".rdata", bytes(room))):
        filled = content + b"\xcc" * (-len(content) % 0x200)
        address = 0x1000 + (start + len(body))
        heads += struct.pack(
            "<8sIIIIIIHHI",
            name.encode()[:8],
            len(content),
            address,
            len(filled),
            start + len(body),
            0,
            0,
            0,
            0,
            0x40000040,
        )
        body += filled
    number = len(sections) + 1
    coff = struct.pack("<HHIIIHH", 0x8664, number, 0, 0, 0, 240, 0x2022)
    optional = struct.pack(
        "<HBBIIIIIQIIHHHHHHIIIIHHQQQQII",
        0x20B,
        14,
        0,
        0,
        0,
        0,
        0,
        0,
        0x180000000,
        0x1000,
        0x200,
        6,
        0,
        0,
        0,
        6,
        0,
        0,
        0x100000,
        start,
        0,
        3,
        0,
        0,
        0,
        0,
        0,
        0,
        16,
    )
    head = b"MZ" + bytes(58) + struct.pack("<I", 64) + b"PE\0\0" + coff + optional.ljust(240, b"\0") + heads
    return head.ljust(start, b"\0") + body
