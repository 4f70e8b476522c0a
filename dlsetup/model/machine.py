"""A machine as far as it is known. What nobody could see is `UNKNOWN`, which is not absent."""

from __future__ import annotations

from typing import Literal

from packaging.version import Version

from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.remains import Remains
from dlsetup.model.report import Report
from dlsetup.model.versions import (
    ComputeCapability,
    CudaVersion,
    DriverRelease,
    LibcVersion,
    OsRelease,
)

Os = Literal["linux", "windows", "macos"]
Vendor = Literal["nvidia", "amd", "intel", "apple", "ascend", "google"]


class Gap(Record, frozen=True, kw_only=True):
    """A fact that could not be looked at, why, and the command that would print it."""

    fact: str
    reason: str
    ask: str = ""


class Sighting(Record, frozen=True, kw_only=True):
    """What one source said of one fact. Two sightings that differ are both kept."""

    fact: str
    value: str
    source: str


class Libc(Record, frozen=True, kw_only=True):
    name: Literal["glibc", "musl"]
    version: LibcVersion | Unknown = UNKNOWN


class Cpu(Record, frozen=True, kw_only=True):
    model: str | Unknown = UNKNOWN
    cores: int | Unknown = UNKNOWN
    """Physical cores."""
    threads: int | Unknown = UNKNOWN
    """Logical processors."""


class Wsl(Record, frozen=True, kw_only=True):
    """Windows Subsystem for Linux: version 1 has no GPU, version 2 has."""

    version: Literal[1, 2] | Unknown = UNKNOWN
    distribution: str | Unknown = UNKNOWN


class System(Record, frozen=True, kw_only=True):
    os: Os | Unknown = UNKNOWN
    name: str | Unknown = UNKNOWN
    """As people say it: `Debian GNU/Linux 12 (bookworm)`, `macOS 14.5`, `Windows 11`."""
    release: OsRelease | Unknown = UNKNOWN
    """macOS 14.5, Windows build 10.0.22631; for Linux the distribution's version, 22.04."""
    kernel: str | Unknown = UNKNOWN
    arch: str | Unknown = UNKNOWN
    """`x86_64`, `aarch64`, in these spellings on every system (macOS `arm64` is `aarch64`)."""
    libc: Libc | None | Unknown = UNKNOWN
    cpu: Cpu | Unknown = UNKNOWN
    memory_bytes: int | Unknown = UNKNOWN
    disk_free_bytes: int | Unknown = UNKNOWN
    """Free where the user stands (the working directory's file system)."""
    shm_bytes: int | None | Unknown = UNKNOWN
    """Size of /dev/shm."""
    wsl: Wsl | None | Unknown = UNKNOWN
    container: str | None | Unknown = UNKNOWN
    """`docker`, `podman`, `kubernetes`, `lxc`, … or None outside any."""


class Driver(Record, frozen=True, kw_only=True):
    """The NVIDIA driver: the loaded kernel module, the libraries beside it, what it can serve."""

    module: DriverRelease | None | Unknown = UNKNOWN
    """Release of the loaded kernel module; None: no module is loaded."""
    userland: DriverRelease | None | Unknown = UNKNOWN
    """Release of the driver's libraries (libnvidia-ml, libcuda)."""
    cuda_ceiling: CudaVersion | Unknown = UNKNOWN
    """The newest CUDA this driver knows: `CUDA Version` in nvidia-smi. Not a toolkit."""
    nvml_error: str | None | Unknown = UNKNOWN
    """NVML's own name of its refusal, `DRIVER_NOT_LOADED` or `LIB_RM_VERSION_MISMATCH`; None: well."""
    found_via: str = ""

    @property
    def release(self) -> DriverRelease | None | Unknown:
        """What programs will meet: the loaded module, or the libraries where that is unknown."""
        return self.module if self.module is not UNKNOWN else self.userland


class Gpu(Record, frozen=True, kw_only=True):
    vendor: Vendor
    name: str | Unknown = UNKNOWN
    arch: str | Unknown = UNKNOWN
    """`sm_90`, `gfx1100`, `apple-m2`, `xe`, `ascend910b`, `tpu-v5e`."""
    compute_capability: ComputeCapability | None | Unknown = UNKNOWN
    """NVIDIA only; None for every other vendor."""
    memory_bytes: int | Unknown = UNKNOWN
    mig: bool | None | Unknown = UNKNOWN
    """Multi-Instance mode on or off; None: this GPU has no such mode."""
    mig_instances: int | Unknown = UNKNOWN
    pci: str | Unknown = UNKNOWN
    found_via: str = ""


class Toolkit(Record, frozen=True, kw_only=True):
    """A CUDA toolkit on disk. It compiles; it does not run wheels that bring their own CUDA."""

    version: CudaVersion | Unknown = UNKNOWN
    path: str
    default: bool = False
    """True for the one that `nvcc` on PATH or CUDA_HOME leads to."""
    found_via: str = ""


class Owner(Record, frozen=True, kw_only=True):
    """Who put a file there."""

    kind: Literal["wheel", "conda", "toolkit", "system", "wsl", "nobody"]
    name: str = ""
    """Distribution, package or folder name."""


class Library(Record, frozen=True, kw_only=True):
    """One copy of a CUDA library on disk."""

    library: str
    """`cudart`, `cublas`, `cudnn`, `nvjitlink`, `nccl`, …"""
    version: Version | Unknown = UNKNOWN
    soname: str
    path: str
    owner: Owner
    environment: str | None = None
    """Path of the environment it lies in; None: outside any."""


class Distribution(Record, frozen=True, kw_only=True):
    """An installed Python distribution (or conda package), read from its metadata, never imported."""

    name: str
    """Canonical: lower case, hyphens."""
    version: Version
    variant: str | Unknown = UNKNOWN
    """`cpu`, `cu126`, `rocm6.2`, `xpu`: what it was built for, if it was built for anything."""
    variant_via: str = ""
    """The file or word that tells the variant: `torch/version.py`, `local version`, `conda build`."""
    requires: tuple[str, ...] | Unknown = UNKNOWN
    tags: tuple[str, ...] | Unknown = UNKNOWN
    """Wheel tags."""
    installer: str | Unknown = UNKNOWN
    origin: str | Unknown = UNKNOWN
    """Channel and build of a conda package, URL of a direct install."""
    location: str = ""
    """The folder it lies in: site-packages, the user site, a source tree."""
    found_via: str = ""
    """The place in a report that tells of it."""


class SharedFiles(Record, frozen=True, kw_only=True):
    """Files that two or more installed distributions claim as their own."""

    owners: tuple[str, ...]
    count: int
    example: str
    """One of the paths, relative to site-packages."""
    damaged: tuple[str, ...] | Unknown = UNKNOWN
    """Owners whose recorded size or hash no longer matches the file."""


class Environment(Record, frozen=True, kw_only=True):
    path: str
    kind: Literal["venv", "conda", "system", "pyenv", "uv", "other"]
    name: str = ""
    python: Version | Unknown = UNKNOWN
    implementation: str | Unknown = UNKNOWN
    free_threaded: bool | Unknown = UNKNOWN
    arch: str | Unknown = UNKNOWN
    """Of the interpreter: an x86_64 Python runs on Apple silicon through Rosetta."""
    examined: bool = False
    """The one the question is about; every other is only listed."""
    externally_managed: bool = False
    """PEP 668: the system's package manager owns it."""
    distributions: tuple[Distribution, ...] | Unknown = UNKNOWN
    complete: bool = True
    """Whether `distributions` holds all there are; a report often shows only some."""
    shared_files: tuple[SharedFiles, ...] | Unknown = UNKNOWN
    remains: tuple[Remains, ...] | Unknown = UNKNOWN

    def distribution(self, name: str) -> Distribution | None:
        """The distribution of that canonical name, if it is known to be installed."""
        if isinstance(self.distributions, Unknown):
            return None
        return next((item for item in self.distributions if item.name == name), None)


class Tool(Record, frozen=True, kw_only=True):
    """A program the machine has: conda, mamba, micromamba, pixi, uv, docker, nvcc, gcc, …"""

    name: str
    path: str
    version: str | Unknown = UNKNOWN


class Docker(Record, frozen=True, kw_only=True):
    engine: str | None | Unknown = UNKNOWN
    """Version of the engine that answers; None: the client is there but no engine answers."""
    runtimes: tuple[str, ...] | Unknown = UNKNOWN
    cdi_devices: tuple[str, ...] | Unknown = UNKNOWN
    nvidia_toolkit: str | None | Unknown = UNKNOWN
    """Version (or path) of the NVIDIA container toolkit; None: not installed."""
    snap: bool | Unknown = UNKNOWN
    desktop: bool | Unknown = UNKNOWN


class SystemPackage(Record, frozen=True, kw_only=True):
    """A package of the operating system that concerns GPUs: `libnvidia-compute-550`."""

    name: str
    version: str
    state: str = "installed"
    found_via: str = ""


class Variable(Record, frozen=True, kw_only=True):
    """One of the environment variables that change which libraries or GPUs a program sees."""

    name: str
    value: str
    found_via: str = ""


class Machine(Record, frozen=True, kw_only=True):
    schema: Literal["dlsetup.machine/1"] = "dlsetup.machine/1"
    system: System = System()
    driver: Driver | None | Unknown = UNKNOWN
    """None: looked, and no sign of an NVIDIA driver."""
    gpus: tuple[Gpu, ...] | Unknown = UNKNOWN
    toolkits: tuple[Toolkit, ...] | Unknown = UNKNOWN
    libraries: tuple[Library, ...] | Unknown = UNKNOWN
    environments: tuple[Environment, ...] | Unknown = UNKNOWN
    tools: tuple[Tool, ...] | Unknown = UNKNOWN
    docker: Docker | None | Unknown = UNKNOWN
    packages: tuple[SystemPackage, ...] | Unknown = UNKNOWN
    variables: tuple[Variable, ...] | Unknown = UNKNOWN
    """Only the known few that matter; an empty tuple means that none of them is set."""
    report: Report = Report()
    """What a pasted report says beside all this."""
    sightings: tuple[Sighting, ...] = ()
    gaps: tuple[Gap, ...] = ()

    @property
    def environment(self) -> Environment | None:
        """The environment the question is about."""
        if isinstance(self.environments, Unknown):
            return None
        return next((item for item in self.environments if item.examined), None)

    def variable(self, name: str) -> str | None | Unknown:
        """Value of an environment variable; None: known to be unset. A report shows only some."""
        if isinstance(self.variables, Unknown):
            return UNKNOWN
        unset = UNKNOWN if self.partial else None
        return next((item.value for item in self.variables if item.name == name), unset)

    @property
    def partial(self) -> bool:
        """Whether this comes from a report: what its lists do not hold may be there all the same."""
        return self.report.lines > 0
