"""The form of `images/*.toml`, as they lie on disk: what `images` makes its records of."""

from __future__ import annotations

from typing import Literal

from packaging.version import Version

from dlsetup.model.image import DriverPass, Naming, SystemPackages
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.source import Source
from dlsetup.model.versions import CudaVersion


class ImageRow(Record, frozen=True, kw_only=True):
    """Images of one repository whose tags are made by one scheme."""

    repository: str
    tag: str
    """The scheme, with `{version}`, `{cuda}`, `{kind}` and `{system}` in it where they vary."""
    versions: tuple[Version, ...] = ()
    """Of the framework; the tag says them as they are written here."""
    systems: tuple[str, ...] = ()
    """As tags say them: `ubuntu22.04`, `ubi9`. One image each."""
    kinds: tuple[str, ...] = ("",)
    """Tags of one image: `base`, `cudnn-devel`."""
    framework: str = ""
    cuda: CudaVersion | Unknown = UNKNOWN
    without_cuda: bool = False
    rocm: Version | None = None
    cudnn: str | Unknown = UNKNOWN
    python: str | Unknown = UNKNOWN
    without_python: bool = False
    architectures: tuple[str, ...] | Unknown = UNKNOWN
    asks: str | Unknown = UNKNOWN
    """Tag of `nvidia/cuda` whose requirement on the driver it took over; empty: it asks nothing."""
    standing: Literal["supported", "unsupported", "removed"] = "supported"
    partial: bool = False
    """Whether only some tags of the release were seen, so that there may be more."""
    source: str


class RequirementRow(Record, frozen=True, kw_only=True):
    """What images of `nvidia/cuda` ask of the driver."""

    cuda: tuple[CudaVersion, ...]
    systems: tuple[str, ...]
    condition: str
    passes: tuple[DriverPass, ...] = ()
    source: str


class ImageFile(Record, frozen=True, kw_only=True):
    """`images/*.toml`: curated."""

    source: tuple[Source, ...] = ()
    image: tuple[ImageRow, ...] = ()
    requirement: tuple[RequirementRow, ...] = ()
    naming: tuple[Naming, ...] = ()
    package: tuple[SystemPackages, ...] = ()
