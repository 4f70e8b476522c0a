"""Where in a shared object of Linux or Windows the fat binaries of CUDA lie.

Needs pefile, which only maintainers of the catalog have. Nothing is loaded or run.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from dlsetup.model.errors import DataError, ToolMissing
from dlsetup.model.record import Record

ELF_NAMES = (".nv_fatbin", "__nv_relfatbin")
"""Code that is ready, and code that the driver links first."""
PE_NAMES = (b".nv_fatb", b"__nv_rel")
"""The same: names of sections end after eight characters there."""
MOST_SECTIONS = 4096


class Section(Record, frozen=True, kw_only=True):
    """A part of a file, in bytes."""

    start: int
    size: int


def fat_sections(path: Path) -> list[Section]:
    """The sections that hold fat binaries; none for a library without GPU code.

    Raises `DataError` for what is neither ELF nor PE, or is broken, and `ToolMissing`.
    """
    with path.open("rb") as file:
        start = file.read(4)
        if start == b"\x7fELF":
            return _of_elf(file)
        if start[:2] == b"MZ":
            return _of_pe(path)
    raise DataError("neither ELF nor PE")


def _of_elf(file: BinaryIO) -> list[Section]:
    try:
        from elftools.common.exceptions import ELFError
        from elftools.construct.core import ConstructError
        from elftools.elf.elffile import ELFFile
    except ImportError as exc:
        raise _missing("pyelftools") from exc
    try:
        elf = ELFFile(file)
        if elf.num_sections() > MOST_SECTIONS:
            raise DataError(f"more than {MOST_SECTIONS} sections")
        found = [item for item in elf.iter_sections() if item.name in ELF_NAMES]
        return [Section(start=item["sh_offset"], size=item["sh_size"]) for item in found]
    except (ELFError, ConstructError, ValueError, KeyError, OverflowError, AttributeError, TypeError) as exc:
        raise DataError(f"broken ELF: {exc or type(exc).__name__}") from exc


def _of_pe(path: Path) -> list[Section]:
    try:
        import pefile
    except ImportError as exc:
        raise _missing("pefile") from exc
    try:
        with pefile.PE(str(path), fast_load=True) as pe:
            found = [item for item in pe.sections if item.Name in PE_NAMES]
            return [
                _filled(item.PointerToRawData, item.SizeOfRawData, item.Misc_VirtualSize) for item in found
            ]
    except (pefile.PEFormatError, ValueError, AttributeError) as exc:
        raise DataError(f"broken PE: {exc or type(exc).__name__}") from exc


def _filled(start: int, size: int, used: int) -> Section:
    """Sections of PE are filled up to a round size; what counts is what is used."""
    return Section(start=start, size=min(size, used) if used else size)


def _missing(package: str) -> ToolMissing:
    return ToolMissing(
        f"to read shared objects {package} has to be installed",
        hint="Install what maintainers of the catalog need: `uv pip install pyelftools pefile`.",
    )
