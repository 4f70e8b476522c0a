"""The form of `hardware/*.toml`, as they lie on disk: what `hardware` makes its records of."""

from __future__ import annotations

from packaging.specifiers import SpecifierSet

from dlsetup.model.hardware import (
    AscendPair,
    CxxAbi,
    Distribution,
    DriverBranch,
    DriverFloor,
    JetPack,
    MpsLine,
    NumberFormat,
    Overlap,
    RocmLine,
    SharedObject,
    TpuGeneration,
    WindowsFloor,
    XpuLine,
)
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.source import Source
from dlsetup.model.versions import ComputeCapability, CudaVersion, DriverRelease


class ToolkitRow(Record, frozen=True, kw_only=True):
    """A CUDA toolkit and its drivers."""

    version: CudaVersion
    linux: DriverRelease | Unknown = UNKNOWN
    windows: DriverRelease | Unknown = UNKNOWN
    source: str


class ToolkitRange(Record, frozen=True, kw_only=True):
    """A row that holds for some toolkits, each of one exact version."""

    since: CudaVersion
    """First toolkit."""
    before: CudaVersion | None = None
    """First toolkit that is out of the range."""
    source: str

    def holds_for(self, version: CudaVersion) -> bool:
        """Whether a toolkit lies in the range."""
        return version >= self.since and (self.before is None or version < self.before)


class CodeRange(ToolkitRange, frozen=True, kw_only=True):
    """For what some toolkits make machine code: the whole list, or the bounds alone."""

    capabilities: tuple[ComputeCapability, ...] | Unknown = UNKNOWN
    """Ascending."""
    min_capability: ComputeCapability | Unknown = UNKNOWN
    max_capability: ComputeCapability | Unknown = UNKNOWN


class CompilerRange(ToolkitRange, frozen=True, kw_only=True):
    """Host compilers for Linux that some toolkits take."""

    gcc: SpecifierSet | Unknown = UNKNOWN
    clang: SpecifierSet | Unknown = UNKNOWN


class MsvcRange(ToolkitRange, frozen=True, kw_only=True):
    """Host compilers of Microsoft that some toolkits take."""

    msvc: SpecifierSet


class GpuRow(Record, frozen=True, kw_only=True):
    """GPUs by product name that share a compute capability."""

    compute_capability: ComputeCapability
    names: tuple[str, ...]
    source: str


class AmdRow(Record, frozen=True, kw_only=True):
    """AMD GPUs by product name that share an architecture."""

    gfx: str
    names: tuple[str, ...]
    source: str


class LibraryRow(Record, frozen=True, kw_only=True):
    """A line of a CUDA library, in all the distributions that carry it."""

    library: str
    versions: SpecifierSet
    distributions: tuple[str, ...] = ("",)
    cuda: tuple[int, ...] | Unknown = UNKNOWN
    min_capability: ComputeCapability | Unknown = UNKNOWN
    soname: str | Unknown = UNKNOWN
    source: str


class HardwareFile(Record, frozen=True, kw_only=True):
    """`hardware/*.toml`: curated."""

    source: tuple[Source, ...] = ()
    toolkit: tuple[ToolkitRow, ...] = ()
    code: tuple[CodeRange, ...] = ()
    compilers: tuple[CompilerRange, ...] = ()
    msvc: tuple[MsvcRange, ...] = ()
    floor: tuple[DriverFloor, ...] = ()
    branch: tuple[DriverBranch, ...] = ()
    gpus: tuple[GpuRow, ...] = ()
    library: tuple[LibraryRow, ...] = ()
    shared_object: tuple[SharedObject, ...] = ()
    overlap: tuple[Overlap, ...] = ()
    rocm: tuple[RocmLine, ...] = ()
    amd: tuple[AmdRow, ...] = ()
    xpu: tuple[XpuLine, ...] = ()
    mps: tuple[MpsLine, ...] = ()
    ascend: tuple[AscendPair, ...] = ()
    jetpack: tuple[JetPack, ...] = ()
    cxx_abi: tuple[CxxAbi, ...] = ()
    tpu: tuple[TpuGeneration, ...] = ()
    windows: tuple[WindowsFloor, ...] = ()
    distribution: tuple[Distribution, ...] = ()
    number_format: tuple[NumberFormat, ...] = ()
