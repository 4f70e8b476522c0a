"""What the world ships: frameworks, their builds, CUDA toolkits, GPUs, and who says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.model.builds import Builds
from dlsetup.model.hardware import Hardware
from dlsetup.model.image import ImageKnowledge
from dlsetup.model.loading import LoadingKnowledge
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.signature import Knowledge
from dlsetup.model.source import Source
from dlsetup.model.versions import ComputeCapability, CudaVersion

Accelerator = Literal["cpu", "cuda", "rocm", "mps", "xpu", "tpu", "ascend", "directml"]


class Index(Record, frozen=True, kw_only=True):
    """A package index by name. `url` None: the index that uv or pip is configured with."""

    name: str
    url: str | None = None


class Clue(Record, frozen=True, kw_only=True):
    """A line in an installed file that tells what a distribution was built for."""

    distribution: str
    path: str
    """Relative to site-packages: `torch/version.py`."""
    pattern: str
    """Regular expression with one group, the value."""
    gives: Literal["cuda", "rocm", "variant"]


class Wheels(Record, frozen=True, kw_only=True):
    """Wheel files of one release that differ only in Python."""

    pythons: tuple[str, ...]
    """Python and ABI tags: `cp312`, `cp313-cp313t`, `py3`, `cp39-abi3`."""
    platform: str
    """`manylinux_2_28_x86_64`, `macosx_11_0_arm64`, `win_amd64`, `any`."""
    size_bytes: int | Unknown = UNKNOWN
    """The largest of them."""


class LibraryWheels(Record, frozen=True, kw_only=True):
    """The wheels of a range of releases of a library."""

    since: Version
    """The first release; the range ends before the next newer one begins."""
    wheels: tuple[Wheels, ...]
    source: bool = False
    """Whether the source can be had too, so that what has no wheel can be compiled."""


class Build(Record, frozen=True, kw_only=True):
    """One way in which one release of a framework can be installed."""

    framework: str
    version: Version
    variant: str
    """`cpu`, `cu126`, `rocm7.1`, `mps`, `xpu`, … for every framework; `any` if it is all the same."""
    accelerator: Accelerator
    cuda: CudaVersion | None = None
    """The toolkit it was built with."""
    wheels: tuple[Wheels, ...]
    requires_python: SpecifierSet
    index: str
    """Name of the index it comes from."""
    requirements: tuple[str, ...]
    """How to ask an installer for exactly this build."""
    kernels: tuple[ComputeCapability, ...] | Unknown = UNKNOWN
    """Architectures with machine code inside."""
    exact: tuple[ComputeCapability, ...] = ()
    """Of the kernels, those that run on that very capability alone: they are made for `sm_120a`."""
    ptx: tuple[ComputeCapability, ...] | Unknown = UNKNOWN
    """Architectures with PTX inside, which the driver compiles for newer GPUs."""
    gfx: tuple[str, ...] | Unknown = UNKNOWN
    """Of a ROCm build, the AMD architectures with machine code inside: `gfx90a`, `gfx1100`."""
    min_capability: ComputeCapability | Unknown = UNKNOWN
    """The oldest GPU its authors support, where they say so beside (or instead of) a list of kernels."""
    requires: tuple[str, ...] = ()
    """Requirements on other distributions (PEP 508), extras of `requirements` already applied."""
    one_of: tuple[str, ...] = ()
    """Requirements on frameworks of which one suffices: Keras runs on TensorFlow, JAX or PyTorch. Those that
    somebody wants anyway are meant; the first, where nobody wants any."""
    expects: tuple[str, ...] = ()
    """What it needs of the machine and does not bring along, each a name with a specifier: `cudnn>=9,<10`,
    `cuda>=12.4`, `cann==8.2.1`, `nvcc`, `gcc>=9,<14`, `nccl>=2.18`."""
    from_source: bool = False
    """An installer compiles it on the machine: it takes long, and what it `expects` has to be there."""
    build_requires: tuple[str, ...] = ()
    """Distributions that have to be there while it is compiled, in the release that it will run with."""
    build_variables: tuple[str, ...] = ()
    """Environment variables that decide what is compiled: `HOROVOD_GPU_OPERATIONS=NCCL`."""
    beyond: bool = False
    """Newer than what the catalog's authors looked at: only the registry's metadata speaks of it."""
    yanked: bool = False
    prerelease: bool = False
    released: str | Unknown = UNKNOWN
    sources: tuple[str, ...] = ()


class Ended(Record, frozen=True, kw_only=True):
    """A framework that is not released any more."""

    last: Version
    """Its last release."""
    when: str
    """ISO date of the last release."""
    instead: str
    """What its users take now, in a few words."""
    source: str


class Framework(Record, frozen=True, kw_only=True):
    name: str
    title: str
    """As people write it: `PyTorch`."""
    family: str = ""
    """Frameworks of one family are built together and must share their variant."""
    distributions: tuple[str, ...]
    """Names under which it is installed: `torch`; `jax`, `jaxlib`."""
    imports: str
    """The module a user imports."""
    builds: Sequence[Build]
    """Newest first. Out of the catalog they are made when somebody looks: see `of`."""
    clues: tuple[Clue, ...] = ()
    twins: tuple[tuple[str, ...], ...] = ()
    """Groups of distributions that own the same import package and must not be installed together."""
    sources: tuple[Source, ...] = ()
    known_to: Version | Unknown = UNKNOWN
    """The newest release that the catalog's authors looked at."""
    ended: Ended | None = None

    def of(self, version: Version) -> tuple[Build, ...]:
        """The builds of one release; `2.9.1+cu126` counts as 2.9.1, and `2.14` as 2.14.0."""
        return self._of(version.public) or self._of(f"{version.public}.0")

    def _of(self, version: str) -> tuple[Build, ...]:
        if isinstance(self.builds, Builds):
            return self.builds.of(version)
        return tuple(build for build in self.builds if build.version.public == version)


class Catalog(Record, frozen=True, kw_only=True):
    """The part of the world a question needs."""

    frameworks: tuple[Framework, ...] = ()
    hardware: Hardware = Hardware()
    indexes: tuple[Index, ...] = ()
    libraries: Mapping[str, tuple[Version, ...]] = msgspec.field(default_factory=dict)
    """Versions the registry has of the libraries that frameworks pin, newest first, by name."""
    library_wheels: Mapping[str, tuple[LibraryWheels, ...]] = msgspec.field(default_factory=dict)
    """What these versions are built for, newest first; nothing is known of a library that is not in it."""
    checked: str = ""
    """ISO date of the oldest generated file that was read."""
    knowledge: Knowledge = Knowledge()
    """What is known of messages; empty where no report is read."""
    images: ImageKnowledge = ImageKnowledge()
    """What is known of images; empty where no report names one."""
    loading: LoadingKnowledge = LoadingKnowledge()
    """What is known of how libraries are loaded; empty where LD_LIBRARY_PATH is not set."""

    def framework(self, name: str) -> Framework | None:
        return next((item for item in self.frameworks if item.name == name), None)

    def build(self, framework: str, version: Version, variant: str, index: str) -> Build | None:
        """The build that these four name, as picks and locks do."""
        known = self.framework(framework)
        release = () if known is None else known.of(version)
        return next((item for item in release if (item.variant, item.index) == (variant, index)), None)

    def source(self, source_id: str) -> Source | None:
        """The source with that id, wherever it is kept."""
        shared = (
            self.hardware.sources,
            self.knowledge.sources,
            self.loading.sources,
            self.images.sources,
        )
        groups = (*shared, *(item.sources for item in self.frameworks))
        return next((item for group in groups for item in group if item.id == source_id), None)
