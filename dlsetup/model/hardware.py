"""GPUs and other accelerators, drivers, toolkits, libraries and systems, as the world ships them."""

from __future__ import annotations

from typing import Literal

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.source import Source
from dlsetup.model.versions import ComputeCapability, CudaVersion, DriverRelease, LibcVersion, OsRelease


class CudaToolkit(Record, frozen=True, kw_only=True):
    """One CUDA toolkit release: its driver, the GPUs it can make code for, the compilers it works with."""

    version: CudaVersion
    driver_linux: DriverRelease | Unknown = UNKNOWN
    """The driver it shipped with: this driver or a newer one knows all of it."""
    driver_windows: DriverRelease | Unknown = UNKNOWN
    source: str
    """Who says so of the drivers."""
    min_capability: ComputeCapability | Unknown = UNKNOWN
    max_capability: ComputeCapability | Unknown = UNKNOWN
    capabilities: tuple[ComputeCapability, ...] | Unknown = UNKNOWN
    """All that it can make machine code for, where the sources agree on the whole list."""
    code_source: str = ""
    gcc: SpecifierSet | Unknown = UNKNOWN
    """Releases of GCC that its compiler takes as host compiler on Linux."""
    clang: SpecifierSet | Unknown = UNKNOWN
    compiler_source: str = ""
    msvc: SpecifierSet | Unknown = UNKNOWN
    """Releases of Microsoft's compiler, as `cl` says them: 19.40 came with Visual Studio 17.10."""
    msvc_source: str = ""


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
    ends: str | Unknown = UNKNOWN
    """Month (`2028-08`) in which NVIDIA stops mending it."""
    source: str


class GpuModel(Record, frozen=True, kw_only=True):
    """A GPU by product name."""

    name: str
    compute_capability: ComputeCapability
    source: str


class LibraryLine(Record, frozen=True, kw_only=True):
    """What a line of a CUDA library (cuDNN 9.11 and newer) asks for."""

    library: str = ""
    """As people write it: `cuDNN`."""
    distribution: str
    """`nvidia-cudnn-cu12`; empty: a line that no package index serves."""
    versions: SpecifierSet
    cuda: tuple[int, ...] | Unknown = UNKNOWN
    """CUDA majors it is made for; their driver floors are its own."""
    min_capability: ComputeCapability | Unknown = UNKNOWN
    soname: str | Unknown = UNKNOWN
    """Under which programs look for it: `libcudnn.so.9`."""
    source: str


class SharedObject(Record, frozen=True, kw_only=True):
    """Under which names programs look for a library of the CUDA toolkit."""

    library: str
    """`cublas`."""
    names: tuple[tuple[int, str], ...]
    """CUDA major and soname. Majors that share a name cannot be in one process."""
    source: str


class Overlap(Record, frozen=True, kw_only=True):
    """Distributions whose wheels write the same files: the last one installed wins."""

    distributions: tuple[str, ...]
    path: str
    versions: tuple[tuple[str, SpecifierSet], ...] = ()
    """Of which versions of a distribution, where not of all: others lie elsewhere."""
    source: str

    def writes(self, distribution: str, version: Version) -> bool:
        """Whether this version of one of the distributions writes those files."""
        bounds = dict(self.versions).get(distribution, SpecifierSet())
        return distribution in self.distributions and bounds.contains(version, prereleases=True)


class RocmLine(Record, frozen=True, kw_only=True):
    """One release line of ROCm."""

    version: Version
    gfx: tuple[str, ...] | Unknown = UNKNOWN
    """AMD architectures that AMD supports with it."""
    wheel_gfx: tuple[str, ...] | Unknown = UNKNOWN
    """AMD architectures compiled into PyTorch's wheels for it."""
    systems: tuple[str, ...] | Unknown = UNKNOWN
    """Linux distributions that AMD supports with it: `ubuntu 24.04`."""
    torch: tuple[str, ...] | Unknown = UNKNOWN
    """Release lines of PyTorch that have wheels for it: `2.10`."""
    source: str


class AmdModel(Record, frozen=True, kw_only=True):
    """An AMD GPU by product name."""

    name: str
    gfx: str
    """`gfx942`."""
    source: str


class XpuLine(Record, frozen=True, kw_only=True):
    """Which releases of PyTorch drive which Intel GPUs."""

    torch: SpecifierSet
    standing: Literal["prototype", "stable"]
    devices: tuple[str, ...]
    """Product families."""
    systems: tuple[str, ...]
    """`linux`, `windows`."""
    source: str


class MpsLine(Record, frozen=True, kw_only=True):
    """The oldest macOS on which releases of PyTorch use the GPU of Apple silicon."""

    torch: SpecifierSet
    macos: OsRelease
    source: str


class AscendPair(Record, frozen=True, kw_only=True):
    """A release of a framework for Ascend and the CANN it is built against."""

    distribution: str
    """`torch-npu`, `mindspore`."""
    version: Version
    torch: Version | None = None
    """The release of PyTorch that it extends; None: it is a framework of its own."""
    cann: str
    """As Huawei writes it: `8.3.RC1`."""
    source: str


class JetPack(Record, frozen=True, kw_only=True):
    """What comes with a release of Jetson Linux (L4T)."""

    l4t: str
    """`35.4`: that release and its revisions, where no longer row names them."""
    name: str
    """The JetPack: `5.1.2`, or several in words."""
    python: Version
    cuda: CudaVersion
    source: str

    def holds_for(self, release: str) -> bool:
        """Whether a release such as `35.4.1` is one of this row."""
        return f"{release}.".startswith(f"{self.l4t}.")


class CxxAbi(Record, frozen=True, kw_only=True):
    """The C++11 ABI of wheels of torch for Linux. Of the rows that hold the first one counts."""

    torch: SpecifierSet
    variants: tuple[str, ...] = ()
    """Only builds of these variants; empty: every build."""
    cxx11: bool
    """Whether it is the new one (`_GLIBCXX_USE_CXX11_ABI=1`)."""
    source: str


class TpuGeneration(Record, frozen=True, kw_only=True):
    """A generation of Google's TPU."""

    name: str
    """`v5e`."""
    pci_device: str | Unknown = UNKNOWN
    """Its device on the PCI bus, under vendor 0x1ae0: `0x0063`."""
    source: str


class WindowsFloor(Record, frozen=True, kw_only=True):
    """The oldest Windows, kernel of WSL and NVIDIA GPU with which programs inside WSL 2 use the GPU."""

    edition: str
    """`Windows 10 21H2`."""
    build: OsRelease
    wsl_kernel: OsRelease | Unknown = UNKNOWN
    min_capability: ComputeCapability | Unknown = UNKNOWN
    source: str


class Distribution(Record, frozen=True, kw_only=True):
    """A release of a Linux distribution and its C library."""

    id: str
    """`ID` of its `/etc/os-release`: `ubuntu`, `rhel`, `sles`."""
    version: str
    """`22.04`, `9`, `15.6`; empty: every release."""
    series: str = ""
    """The release's own name, as tags of images carry it: `jammy`."""
    series_source: str = ""
    libc: Literal["glibc", "musl"] = "glibc"
    libc_version: LibcVersion | Unknown = UNKNOWN
    source: str


class NumberFormat(Record, frozen=True, kw_only=True):
    """From which NVIDIA GPUs on a format of numbers is computed by the hardware itself."""

    name: str
    """`bfloat16`, `tf32`."""
    min_capability: ComputeCapability
    source: str


class Hardware(Record, frozen=True, kw_only=True):
    """All of it. Each field is a table of its own."""

    toolkits: tuple[CudaToolkit, ...] = ()
    floors: tuple[DriverFloor, ...] = ()
    branches: tuple[DriverBranch, ...] = ()
    gpus: tuple[GpuModel, ...] = ()
    libraries: tuple[LibraryLine, ...] = ()
    shared_objects: tuple[SharedObject, ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    rocm: tuple[RocmLine, ...] = ()
    amd: tuple[AmdModel, ...] = ()
    xpu: tuple[XpuLine, ...] = ()
    mps: tuple[MpsLine, ...] = ()
    ascend: tuple[AscendPair, ...] = ()
    jetpacks: tuple[JetPack, ...] = ()
    cxx_abis: tuple[CxxAbi, ...] = ()
    tpus: tuple[TpuGeneration, ...] = ()
    windows: tuple[WindowsFloor, ...] = ()
    distributions: tuple[Distribution, ...] = ()
    formats: tuple[NumberFormat, ...] = ()
    sources: tuple[Source, ...] = ()
