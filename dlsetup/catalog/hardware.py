"""GPUs, drivers, toolkits, libraries and systems: `hardware/*.toml`, and files that wheels share."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TypeVar

from dlsetup.catalog.folders import Folders
from dlsetup.catalog.generated_form import OverlapsFile
from dlsetup.catalog.hardware_form import (
    CodeRange,
    CompilerRange,
    HardwareFile,
    LibraryRow,
    MsvcRange,
    ToolkitRow,
)
from dlsetup.model.hardware import AmdModel, CudaToolkit, GpuModel, Hardware, LibraryLine, Overlap
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.source import Source
from dlsetup.model.versions import CudaVersion

OVERLAPS = "generated/overlaps.json"
WHEEL_LISTS = "wheel-lists"
"""The id of the source that overlaps rest on."""
Row = TypeVar("Row", CodeRange, CompilerRange, MsvcRange)


def hardware(place: Folders) -> Hardware:
    """All hardware files as one record. Raises `DataError` with the path of a malformed one."""
    found = (place.toml(f"hardware/{name}.toml", HardwareFile) for name in place.names("hardware", ".toml"))
    rows = _together([file for file in found if file is not None])
    shared = _shared(place)
    return Hardware(
        toolkits=tuple(_toolkit(row, rows) for row in rows.toolkit),
        floors=rows.floor,
        branches=rows.branch,
        gpus=tuple(
            GpuModel(name=name, compute_capability=row.compute_capability, source=row.source)
            for row in rows.gpus
            for name in row.names
        ),
        libraries=tuple(line for row in rows.library for line in _lines(row)),
        shared_objects=rows.shared_object,
        overlaps=(*shared, *(row for row in rows.overlap if not _told(row, shared))),
        rocm=rows.rocm,
        amd=tuple(
            AmdModel(name=name, gfx=row.gfx, source=row.source) for row in rows.amd for name in row.names
        ),
        xpu=rows.xpu,
        mps=rows.mps,
        ascend=rows.ascend,
        jetpacks=rows.jetpack,
        cxx_abis=rows.cxx_abi,
        tpus=rows.tpu,
        windows=rows.windows,
        distributions=rows.distribution,
        formats=rows.number_format,
        sources=(*rows.source, *(_wheel_lists(place) if shared else ())),
    )


def _shared(place: Folders) -> tuple[Overlap, ...]:
    """CUDA libraries that overwrite each other's code. Headers alone hurt nobody who runs a program."""
    file = place.sound(partial(place.json, OVERLAPS, OverlapsFile))
    return tuple(
        Overlap(
            distributions=row.distributions,
            path=row.path,
            versions=tuple(row.versions.items()),
            source=WHEEL_LISTS,
        )
        for row in (file.libraries if file else ())
        if row.code
    )


def _told(curated: Overlap, shared: Iterable[Overlap]) -> bool:
    return any(set(curated.distributions) <= set(row.distributions) for row in shared)


def _wheel_lists(place: Folders) -> Iterable[Source]:
    sheet = place.sheet(OVERLAPS)
    what = "the lists of files in the published wheels of the CUDA libraries"
    yield Source(id=WHEEL_LISTS, what=what, checked=sheet.head.checked if sheet else "")


def _together(files: Iterable[HardwareFile]) -> HardwareFile:
    """The rows of all files as those of one; which file a row is in is a matter of taste."""
    parts = list(files)
    names = HardwareFile.__struct_fields__
    return HardwareFile(
        **{name: tuple(row for part in parts for row in getattr(part, name)) for name in names}
    )


def _toolkit(row: ToolkitRow, rows: HardwareFile) -> CudaToolkit:
    """A toolkit with what the ranges say of it."""
    code = _of(row.version, rows.code) or CodeRange(since=row.version, source="")
    compilers = _of(row.version, rows.compilers) or CompilerRange(since=row.version, source="")
    msvc = _of(row.version, rows.msvc)
    listed = () if isinstance(code.capabilities, Unknown) else code.capabilities
    return CudaToolkit(
        version=row.version,
        driver_linux=row.linux,
        driver_windows=row.windows,
        source=row.source,
        min_capability=listed[0] if listed else code.min_capability,
        max_capability=listed[-1] if listed else code.max_capability,
        capabilities=code.capabilities,
        code_source=code.source,
        gcc=compilers.gcc,
        clang=compilers.clang,
        compiler_source=compilers.source,
        msvc=msvc.msvc if msvc else UNKNOWN,
        msvc_source=msvc.source if msvc else "",
    )


def _of(version: CudaVersion, rows: Iterable[Row]) -> Row | None:
    return next((row for row in rows if row.holds_for(version)), None)


def _lines(row: LibraryRow) -> Iterable[LibraryLine]:
    for distribution in row.distributions:
        yield LibraryLine(
            library=row.library,
            distribution=distribution,
            versions=row.versions,
            cuda=row.cuda,
            min_capability=row.min_capability,
            soname=row.soname,
            source=row.source,
        )
