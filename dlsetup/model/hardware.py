"""GPUs, drivers, CUDA toolkits and libraries, as the world ships them."""

from __future__ import annotations

from packaging.specifiers import SpecifierSet

from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.source import Source
from dlsetup.model.versions import ComputeCapability, CudaVersion, DriverRelease


class CudaToolkit(Record, frozen=True, kw_only=True):
    """One CUDA toolkit release line and what it can target."""

    version: CudaVersion
    driver_linux: DriverRelease | Unknown = UNKNOWN
    """The driver it shipped with: this driver or a newer one knows all of it."""
    driver_windows: DriverRelease | Unknown = UNKNOWN
    min_capability: ComputeCapability | Unknown = UNKNOWN
    max_capability: ComputeCapability | Unknown = UNKNOWN
    max_gcc: str | Unknown = UNKNOWN
    source: str


class DriverFloor(Record, frozen=True, kw_only=True):
    """The oldest driver that serves every toolkit of one CUDA major (minor-version compatibility)."""

    major: int
    linux: DriverRelease
    windows: DriverRelease
    source: str


class DriverBranch(Record, frozen=True, kw_only=True):
    """What a driver branch supports: the CUDA it reports, the oldest GPU it drives."""

    branch: int
    cuda_ceiling: CudaVersion | Unknown = UNKNOWN
    min_capability: ComputeCapability | Unknown = UNKNOWN
    source: str


class GpuModel(Record, frozen=True, kw_only=True):
    """A GPU by product name."""

    name: str
    compute_capability: ComputeCapability
    source: str


class LibraryLine(Record, frozen=True, kw_only=True):
    """What a line of a CUDA library (cuDNN 9.11 and newer) asks for."""

    distribution: str
    """`nvidia-cudnn-cu12`."""
    versions: SpecifierSet
    min_capability: ComputeCapability
    source: str


class Overlap(Record, frozen=True, kw_only=True):
    """Distributions whose wheels write the same files: the last one installed wins."""

    distributions: tuple[str, ...]
    path: str
    source: str


class Hardware(Record, frozen=True, kw_only=True):
    toolkits: tuple[CudaToolkit, ...] = ()
    floors: tuple[DriverFloor, ...] = ()
    branches: tuple[DriverBranch, ...] = ()
    gpus: tuple[GpuModel, ...] = ()
    libraries: tuple[LibraryLine, ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    sources: tuple[Source, ...] = ()
