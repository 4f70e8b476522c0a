"""The loader's cache, /etc/ld.so.cache: which file it takes for a name on this processor."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from dlsetup.probe.host import Host

PLACE = "/etc/ld.so.cache"
SIZE_LIMIT = 16 << 20
MAGIC = b"glibc-ld.so.cache1.1"
OLD_MAGIC = b"ld.so-1.7.0"
EXTENSIONS = 0xEAA42174
HWCAPS = 1
IN_SUBFOLDER = 1 << 62
"""The entry is for processors of one level, whose number in the list of levels follows below."""
FLAGS = {"x86_64": 0x0303, "aarch64": 0x0A03, "i686": 0x0003, "ppc64le": 0x0503, "riscv64": 0x1003}
"""How entries for the C library of a processor are marked."""


def cache(host: Host, levels: Sequence[str]) -> dict[str, str]:
    """Path by name: of several entries the one for the best level of this processor, else the first.

    Empty where there is no cache or it is of another form.
    """
    data = host.read_bytes(PLACE, SIZE_LIMIT) or b""
    start = data.find(MAGIC) if data.startswith((MAGIC, OLD_MAGIC)) else -1
    if start < 0:
        return {}
    rank = {level: number for number, level in enumerate(levels)}
    found: dict[str, tuple[int, str]] = {}
    for name, path, level in _entries(data[start:], FLAGS.get(host.arch, -1)):
        weight = rank.get(level, -1) if level else len(rank)
        if weight >= 0 and (name not in found or weight < found[name][0]):
            found[name] = weight, path
    return {name: path for name, (_, path) in found.items()}


def _entries(data: bytes, flags: int) -> Iterator[tuple[str, str, str]]:
    """Name, path and level of each entry for one processor."""
    if len(data) < 48:
        return
    count, extensions = struct.unpack_from("<I", data, 20)[0], struct.unpack_from("<I", data, 32)[0]
    levels = _levels(data, extensions)
    form = struct.Struct("<iIIIQ")
    for number in range(min(count, len(data) // form.size)):
        if 48 + (number + 1) * form.size > len(data):
            return
        marks, key, value, _, capability = form.unpack_from(data, 48 + number * form.size)
        if marks != flags:
            continue
        level = ""
        if capability & IN_SUBFOLDER:
            index = capability & 0xFFFFFFFF
            level = levels[index] if index < len(levels) else "?"
        elif capability:
            continue
        yield _text(data, key), _text(data, value), level


def _levels(data: bytes, place: int) -> list[str]:
    """Names of the subfolders of `glibc-hwcaps`, out of the extension of the cache that lists them."""
    if not place or place + 8 > len(data):
        return []
    magic, count = struct.unpack_from("<II", data, place)
    if magic != EXTENSIONS:
        return []
    for number in range(min(count, 16)):
        at = place + 8 + number * 16
        if at + 16 > len(data):
            break
        kind, _, start, size = struct.unpack_from("<IIII", data, at)
        if kind == HWCAPS and start + size <= len(data):
            return [
                _text(data, item[0]) for item in struct.iter_unpack("<I", data[start : start + size // 4 * 4])
            ]
    return []


def _text(data: bytes, place: int) -> str:
    end = data.find(b"\0", place, place + 4096)
    return data[place:end].decode("utf-8", "replace") if end >= 0 else ""
