"""The dynamic symbols of an ELF file: what it wants of others, and what it offers, with their versions."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO

from dlsetup.model.loading import Symbols
from dlsetup.probe.elf import Broken, Elf, definitions, needed_versions

SYMBOLS_LIMIT = 1_000_000
HIDDEN = 0x8000
GLOBAL, WEAK, UNIQUE = 1, 2, 10
CHAIN_LIMIT = 1 << 20


def symbols(file: BinaryIO, size: int) -> Symbols:
    """None, rather than a guess, where the table cannot be read."""
    try:
        return _symbols(Elf(file, size))
    except (Broken, struct.error, OSError, MemoryError):
        return Symbols()


def _symbols(elf: Elf) -> Symbols:
    count = min(_count(elf), SYMBOLS_LIMIT)
    marks = _marks(elf, count)
    needed = {number & ~HIDDEN: name for _, _, number, name in needed_versions(elf)}
    defined = {number & ~HIDDEN: name for _, number, name in definitions(elf)}
    wanted: set[tuple[str, str]] = set()
    offered: set[tuple[str, str]] = set()
    for index, (name, binding, section) in enumerate(_entries(elf, count)):
        mark = marks[index] & ~HIDDEN if index < len(marks) else 1
        if section == 0:
            if binding == GLOBAL and name:
                wanted.add((elf.name_at(name), needed.get(mark, "")))
        elif binding in (GLOBAL, WEAK, UNIQUE) and name:
            offered.add((elf.name_at(name), defined.get(mark, "") if mark > 1 else ""))
    return Symbols(wanted=frozenset(wanted), offered=frozenset(offered))


def _entries(elf: Elf, count: int) -> Iterator[tuple[int, int, int]]:
    """Place of the name, binding and section (0: it is wanted) of each symbol."""
    address = elf.tag("DT_SYMTAB")
    if elf.word == 2:
        form = struct.Struct("<IBBHQQ")
        data = elf.at(address, count * form.size)
        for name, info, _, section, _, _ in form.iter_unpack(data[: len(data) // form.size * form.size]):
            yield name, info >> 4, section
        return
    form = struct.Struct("<IIIBBH")
    data = elf.at(address, count * form.size)
    for name, _, _, info, _, section in form.iter_unpack(data[: len(data) // form.size * form.size]):
        yield name, info >> 4, section


def _marks(elf: Elf, count: int) -> tuple[int, ...]:
    """The number of the version of each symbol; none where the file has no versions."""
    address = elf.tag("DT_VERSYM")
    data = elf.at(address, count * 2) if address else b""
    return struct.unpack(f"<{len(data) // 2}H", data[: len(data) // 2 * 2])


def _count(elf: Elf) -> int:
    """How many symbols there are: no header says it, the hash tables do."""
    plain = elf.tag("DT_HASH")
    if plain:
        data = elf.at(plain, 8)
        return int(struct.unpack("<II", data)[1]) if len(data) == 8 else 0
    address = elf.tag("DT_GNU_HASH")
    data = elf.at(address, 16) if address else b""
    if len(data) < 16:
        return 0
    buckets, first, bloom, _ = struct.unpack("<IIII", data)
    start = address + 16 + bloom * (8 if elf.word == 2 else 4)
    table = elf.at(start, min(buckets, CHAIN_LIMIT) * 4)
    last = max(struct.unpack(f"<{len(table) // 4}I", table[: len(table) // 4 * 4]), default=0)
    if last < first:
        # Nothing is offered, so the table counts nothing: linkers put the names right behind the symbols.
        return max(0, elf.tag("DT_STRTAB") - elf.tag("DT_SYMTAB")) // (24 if elf.word == 2 else 16)
    return _end_of_chain(elf, start + buckets * 4, last, first)


def _end_of_chain(elf: Elf, chains: int, last: int, first: int) -> int:
    """A chain ends with a hash whose lowest bit is set."""
    data = elf.at(chains + (last - first) * 4, CHAIN_LIMIT)
    for offset in range(0, len(data) - 3, 4):
        if data[offset] & 1:
            return int(last) + offset // 4 + 1
    return int(last) + 1
