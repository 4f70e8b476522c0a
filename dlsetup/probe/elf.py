"""What a loader reads of an ELF file: its names, its folders, the versions it needs and has.

Files are hostile: every count and every place in them is bounded by the file itself, nothing is mapped,
loaded or run, and whatever is broken is a fault of the file and no failure of the look.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, BinaryIO

from dlsetup.model.loading import SharedObject, VersionNeed

TAGS_LIMIT = 4096
STRING_LIMIT = 4096
TEXT_LIMIT = 64 << 20
"""Of all names of one file together; libtorch_cpu has 40 MB."""
VERSIONS_LIMIT = 4096
WEAK = 0x2
BASE = 0x1
NODEFLIB = 0x800
MACHINES = {"x86_64": (62, 2), "aarch64": (183, 2), "i686": (3, 1), "ppc64le": (21, 2), "riscv64": (243, 2)}
"""Number of the processor and word size, as the header has them."""


class Broken(Exception):
    """The file is not what a loader takes; the text is what it would say, as far as that is known."""


class Elf:
    """An open ELF file, by the parts that a loader uses: program headers and the dynamic section."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self.file = file
        self.size = size
        self.machine = 0
        self.word = 0
        """1: 32 bits, 2: 64 bits."""
        self.loads: list[tuple[int, int, int]] = []
        """Address, place in the file and size there."""
        self.tags: dict[str, list[int]] = {}
        self._read()
        self.names = self._part(self.tag("DT_STRTAB"), min(self.tag("DT_STRSZ"), TEXT_LIMIT))

    def tag(self, name: str) -> int:
        """The value of the first tag of a name; 0 for none."""
        return next(iter(self.tags.get(name, ())), 0)

    def name_at(self, place: int) -> str:
        """A text of the string table, cut where it is too long for any path."""
        end = self.names.find(b"\0", place, place + STRING_LIMIT)
        return self.names[place : end if end >= 0 else place + STRING_LIMIT].decode("utf-8", "replace")

    def at(self, address: int, count: int) -> bytes:
        """Bytes at an address of the loaded file, as many as the file has of them."""
        for start, place, size in self.loads:
            if start <= address < start + size:
                self.file.seek(place + address - start)
                return self.file.read(max(0, min(count, start + size - address)))
        return b""

    def _part(self, address: int, count: int) -> bytes:
        return self.at(address, count) if address else b""

    def _read(self) -> None:
        from elftools.common.exceptions import ELFError
        from elftools.construct.core import ConstructError
        from elftools.elf.elffile import ELFFile

        self.file.seek(0)
        head = self.file.read(64)
        if len(head) < 52:
            raise Broken("file too short")
        if head[:4] != b"\x7fELF":
            raise Broken("invalid ELF header")
        self.word, self.machine = head[4], int.from_bytes(head[18:20], "little")
        if head[5] != 1:
            raise Broken("its bytes are not in the order of this processor")
        if int.from_bytes(head[16:18], "little") not in (2, 3):
            raise Broken("only ET_DYN and ET_EXEC can be loaded")
        try:
            self._read_segments(ELFFile(self.file))
        except (
            ELFError,
            ConstructError,
            ValueError,
            KeyError,
            OverflowError,
            AttributeError,
            TypeError,
        ) as exc:
            raise Broken(f"cannot read file data ({type(exc).__name__})") from exc

    def _read_segments(self, elf: Any) -> None:
        if elf.num_segments() > TAGS_LIMIT:
            raise Broken("too many segments")
        for segment in elf.iter_segments():
            kind = segment["p_type"]
            if kind == "PT_LOAD":
                part = int(segment["p_vaddr"]), int(segment["p_offset"]), int(segment["p_filesz"])
                if part[1] + part[2] > self.size:
                    raise Broken("file too short")
                self.loads.append(part)
            elif kind == "PT_DYNAMIC":
                self._read_tags(int(segment["p_offset"]), int(segment["p_filesz"]))
        if not self.loads:
            raise Broken("object file has no loadable segments")
        if not self.tags:
            raise Broken("object file has no dynamic section")

    def _read_tags(self, place: int, count: int) -> None:
        from elftools.elf.enums import ENUM_D_TAG

        words = {number: name for name, number in ENUM_D_TAG.items() if isinstance(number, int)}
        form = struct.Struct("<qQ" if self.word == 2 else "<iI")
        self.file.seek(place)
        data = self.file.read(min(count, TAGS_LIMIT * form.size))
        for number, value in form.iter_unpack(data[: len(data) // form.size * form.size]):
            if number == 0:
                break
            self.tags.setdefault(words.get(number, str(number)), []).append(value)


def shared_object(file: BinaryIO, size: int, path: str, arch: str) -> SharedObject:
    """The facts of one file; what cannot be loaded says so in `fault` or `foreign`. Never raises."""
    try:
        elf = Elf(file, size)
        expected = MACHINES.get(arch)
        if expected and (elf.machine, elf.word) != expected:
            return SharedObject(path=path, foreign=True)
        return _facts(elf, path)
    except Broken as exc:
        return SharedObject(path=path, fault=str(exc))
    except (struct.error, OSError, MemoryError, RecursionError) as exc:
        return SharedObject(path=path, fault=f"cannot read file data ({type(exc).__name__})")


def _facts(elf: Elf, path: str) -> SharedObject:
    runpath = _folders(elf, "DT_RUNPATH")
    return SharedObject(
        path=path,
        soname=next(iter(_texts(elf, "DT_SONAME")), ""),
        needed=_texts(elf, "DT_NEEDED"),
        rpath=() if "DT_RUNPATH" in elf.tags else _folders(elf, "DT_RPATH"),
        runpath=runpath,
        needs=tuple(_needs(elf)),
        defines=tuple(_defines(elf)),
        closed=bool(elf.tag("DT_FLAGS_1") & NODEFLIB),
    )


def _texts(elf: Elf, tag: str) -> tuple[str, ...]:
    return tuple(elf.name_at(place) for place in elf.tags.get(tag, ()))


def _folders(elf: Elf, tag: str) -> tuple[str, ...]:
    text = next(iter(_texts(elf, tag)), "")
    return tuple(text.split(":")) if text else ()


def _needs(elf: Elf) -> Iterator[VersionNeed]:
    found: dict[str, dict[str, None]] = {}
    for file, flags, _, name in needed_versions(elf):
        versions = found.setdefault(file, {})
        if not flags & WEAK:
            versions[name] = None
    return (VersionNeed(file=file, versions=tuple(names)) for file, names in found.items())


def needed_versions(elf: Elf) -> Iterator[tuple[str, int, int, str]]:
    """File, flags, number and name of each version that another file must have.

    They are lists of files, each with a list of versions, all by the distance to the next entry.
    """
    address, left = elf.tag("DT_VERNEED"), VERSIONS_LIMIT
    for _ in range(min(elf.tag("DT_VERNEEDNUM"), VERSIONS_LIMIT) if address else 0):
        data = elf.at(address, 16)
        if len(data) < 16:
            return
        _, count, file, first, further = struct.unpack("<HHIII", data)
        place = address + first
        for _ in range(min(count, left)):
            aux = elf.at(place, 16)
            if len(aux) < 16:
                return
            left -= 1
            _, flags, number, name, on = struct.unpack("<IHHII", aux)
            yield elf.name_at(file), flags, number, elf.name_at(name)
            if not on:
                break
            place += on
        if not further:
            return
        address += further


def _defines(elf: Elf) -> Iterator[str]:
    """Verdef, without the first entry, which is the name of the file itself."""
    yield from (name for flags, _, name in definitions(elf) if not flags & BASE)


def definitions(elf: Elf) -> Iterator[tuple[int, int, str]]:
    """Flags, number and name of each version that the file defines."""
    address = elf.tag("DT_VERDEF")
    for _ in range(min(elf.tag("DT_VERDEFNUM"), VERSIONS_LIMIT) if address else 0):
        data = elf.at(address, 20)
        if len(data) < 20:
            return
        _, flags, number, _, _, first, further = struct.unpack("<HHHHIII", data)
        aux = elf.at(address + first, 8)
        if len(aux) == 8:
            yield flags, number, elf.name_at(struct.unpack("<II", aux)[0])
        if not further:
            return
        address += further
