"""Hardware facts for tests, small: rows in, records out. What is in the rows is each test's own."""

from __future__ import annotations

from collections.abc import Iterable

from packaging.specifiers import SpecifierSet

from dlsetup.model.hardware import DriverBranch, DriverFloor, GpuModel, LibraryLine
from dlsetup.model.versions import ComputeCapability, CudaVersion, DriverRelease


def driver_floors(rows: Iterable[tuple[int, str, str]], source: str) -> tuple[DriverFloor, ...]:
    """Rows of CUDA major, oldest driver on Linux, oldest driver on Windows."""
    return tuple(
        DriverFloor(major=major, linux=DriverRelease(linux), windows=DriverRelease(windows), source=source)
        for major, linux, windows in rows
    )


def driver_branches(rows: Iterable[tuple[int, str, str]]) -> tuple[DriverBranch, ...]:
    """Rows of branch, newest CUDA it knows, oldest GPU it drives."""
    return tuple(
        DriverBranch(
            branch=branch,
            cuda_ceiling=CudaVersion(ceiling),
            min_capability=ComputeCapability(least),
            source="branches",
        )
        for branch, ceiling, least in rows
    )


def gpu_models(rows: Iterable[tuple[str, str]], source: str) -> tuple[GpuModel, ...]:
    """Rows of product name and compute capability."""
    return tuple(
        GpuModel(name=name, compute_capability=ComputeCapability(value), source=source)
        for name, value in rows
    )


def newer_cudnn(source: str) -> LibraryLine:
    """cuDNN 9.11 and newer, which dropped everything before Turing."""
    return LibraryLine(
        distribution="nvidia-cudnn-cu12",
        versions=SpecifierSet(">=9.11"),
        min_capability=ComputeCapability("7.5"),
        source=source,
    )
