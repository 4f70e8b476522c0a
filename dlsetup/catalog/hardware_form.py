"""The form of `hardware/*.toml`, as they lie on disk: what `hardware` makes its records of."""

from __future__ import annotations

from dlsetup.model.hardware import CudaToolkit, DriverBranch, DriverFloor, LibraryLine, Overlap
from dlsetup.model.record import Record
from dlsetup.model.source import Source
from dlsetup.model.versions import ComputeCapability


class GpuRow(Record, frozen=True, kw_only=True):
    """GPUs by product name that share a compute capability."""

    compute_capability: ComputeCapability
    names: tuple[str, ...]
    source: str


class HardwareFile(Record, frozen=True, kw_only=True):
    """`hardware/*.toml`: curated."""

    source: tuple[Source, ...] = ()
    toolkit: tuple[CudaToolkit, ...] = ()
    floor: tuple[DriverFloor, ...] = ()
    branch: tuple[DriverBranch, ...] = ()
    gpus: tuple[GpuRow, ...] = ()
    library: tuple[LibraryLine, ...] = ()
    overlap: tuple[Overlap, ...] = ()
