"""Container images: what is inside, and what they ask of the driver before they start."""

from __future__ import annotations

from typing import Literal

from packaging.version import Version

from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.source import Source
from dlsetup.model.versions import CudaVersion, LibcVersion

Purpose = Literal["train", "serve", "dev"]
"""What an image is for: a run, a server, a place to work in."""


class SystemPackages(Record, frozen=True, kw_only=True):
    """Packages of Debian and Ubuntu that a distribution needs beside itself."""

    distribution: str
    names: tuple[str, ...]
    purposes: tuple[Purpose, ...]
    """In which images."""
    why: str
    source: str


class DriverPass(Record, frozen=True, kw_only=True):
    """Older drivers that pass all the same, for GPUs of some brands."""

    brands: tuple[str, ...]
    """As the runtime calls them: `tesla`, `geforce`, `quadrortx`."""
    branches: tuple[int, ...]


class DriverRequirement(Record, frozen=True, kw_only=True):
    """What NVIDIA's container runtime holds against the driver before it starts the image.

    It is stricter than CUDA itself: the driver has to know the CUDA of the image, or to be of a branch
    that passes for the brand of the GPU.
    """

    condition: str
    """`cuda>=12.6`."""
    passes: tuple[DriverPass, ...] = ()
    source: str


class Image(Record, frozen=True, kw_only=True):
    """Tags of one repository that hold the same, but for how much of it."""

    repository: str
    """`nvidia/cuda`, `nvcr.io/nvidia/pytorch`."""
    tags: tuple[str, ...]
    framework: str = ""
    """Name in the catalog; empty: none inside."""
    version: Version | None = None
    """Of the framework."""
    cuda: CudaVersion | None | Unknown = UNKNOWN
    """The toolkit or the runtime inside; None: none."""
    rocm: Version | None = None
    cudnn: str | None | Unknown = UNKNOWN
    """`9`, `8.9.4`; of images with several kinds, of those that hold it."""
    python: str | None | Unknown = UNKNOWN
    system: str | Unknown = UNKNOWN
    """`ubuntu 22.04`."""
    glibc: LibcVersion | Unknown = UNKNOWN
    architectures: tuple[str, ...] | Unknown = UNKNOWN
    requirement: DriverRequirement | None | Unknown = UNKNOWN
    """None: it asks nothing itself; what is inside still needs its driver."""
    standing: Literal["supported", "unsupported", "removed"] = "supported"
    """Unsupported: can still be pulled and is not mended any more."""
    partial: bool = False
    """Whether the repository may have more tags of this release than are known."""
    source: str


class Naming(Record, frozen=True, kw_only=True):
    """How every tag of a repository is made."""

    repository: str
    pattern: str
    """Regular expression that every tag is one of as a whole."""
    says: str
    """The same in words."""
    source: str


class ImageKnowledge(Record, frozen=True, kw_only=True):
    """Everything that is known of images."""

    images: tuple[Image, ...] = ()
    namings: tuple[Naming, ...] = ()
    sources: tuple[Source, ...] = ()
