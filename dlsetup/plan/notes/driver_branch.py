"""Which branch of the NVIDIA driver this machine takes: for all of its GPUs, for what is installed."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.model.hardware import DriverBranch
from dlsetup.model.record import Unknown
from dlsetup.model.versions import ComputeCapability, CudaVersion, DriverRelease
from dlsetup.plan.notes.subject import Subject
from dlsetup.rules.driver import driver_floor


def branch_for(subject: Subject) -> DriverBranch | None:
    """The branch that is mended the longest, or the newest; None: no branch drives all that is here."""
    rows = [row for row in subject.scene.catalog.hardware.branches if _fits(row, subject)]
    kept = [row for row in rows if not isinstance(row.ends, Unknown)]
    if kept:
        return max(kept, key=lambda row: str(row.ends))
    return max(rows, key=lambda row: row.branch, default=None)


def ended(branch: int, subject: Subject) -> str:
    """The month in which NVIDIA stopped mending a branch, if that was before the catalog was checked."""
    catalog = subject.scene.catalog
    row = next((row for row in catalog.hardware.branches if row.branch == branch), None)
    source = catalog.source(row.source) if row else None
    if row is None or source is None or isinstance(row.ends, Unknown):
        return ""
    return row.ends if row.ends < source.checked[:7] else ""


def last_branch(subject: Subject) -> DriverBranch | None:
    """The last branch that still drives the oldest GPU; None: the newest one does."""
    if not subject.capabilities:
        return None
    known = subject.scene.catalog.hardware.branches
    driving = [row for row in known if _drives(row, subject.capabilities[0])]
    last = max(driving, key=lambda row: row.branch, default=None)
    return None if last == max(known, key=lambda row: row.branch, default=None) else last


def first_branch(capability: ComputeCapability, subject: Subject) -> int:
    """The branch that came with the first toolkit that makes code for such a GPU; 0: unknown."""
    made = [
        row.driver_linux.major
        for row in subject.scene.catalog.hardware.toolkits
        if not isinstance(row.capabilities, Unknown)
        and capability in row.capabilities
        and not isinstance(row.driver_linux, Unknown)
    ]
    return min(made, default=0)


def floors(subject: Subject) -> Iterator[tuple[str, CudaVersion, DriverRelease, str]]:
    """For each installed framework with CUDA: its title, its CUDA, the oldest driver, and who says so."""
    windows = subject.scene.in_wsl or subject.scene.target.os == "windows"
    for installed, cuda in subject.cuda_frameworks:
        floor = driver_floor(cuda, subject.scene.catalog.hardware, windows=windows)
        if floor is not None:
            yield installed.title, cuda, *floor


def wants_open(subject: Subject) -> bool | None:
    """Whether the open kernel modules are taken; None: the GPUs contradict each other, or none is known."""
    since, only = subject.bound("open-modules-since"), subject.bound("open-modules-only-since")
    if not subject.capabilities or not since or not only:
        return None
    oldest, newest = subject.capabilities[0], subject.capabilities[-1]
    if oldest < ComputeCapability(since):
        return None if newest >= ComputeCapability(only) else False
    return True


def _fits(row: DriverBranch, subject: Subject) -> bool:
    wanted = [release.major for _, _, release, _ in floors(subject)]
    wanted += [first_branch(item, subject) for item in subject.capabilities]
    drives = all(_drives(row, item) for item in subject.capabilities)
    return drives and row.branch >= max(wanted, default=0)


def _drives(row: DriverBranch, capability: ComputeCapability) -> bool:
    return isinstance(row.min_capability, Unknown) or capability >= row.min_capability
