"""What the catalog holds, as documents: the same records for words, JSON and the page."""

from __future__ import annotations

from typing import Any, Literal

from packaging.version import Version

from dlsetup.model.framework import Accelerator, Ended
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.source import Source
from dlsetup.model.standing import Standing
from dlsetup.model.target import Target
from dlsetup.model.versions import ComputeCapability, CudaVersion

Answer = Literal["yes", "no", "unknown"]


class BuildRow(Record, frozen=True, kw_only=True):
    """One build of a release, and how it stands on the target."""

    variant: str
    accelerator: Accelerator
    cuda: CudaVersion | None = None
    index: str
    requirements: tuple[str, ...]
    pythons: tuple[str, ...]
    """All that it has wheels for: `3.12`, `3.13t`."""
    platforms: tuple[str, ...]
    """Families: `linux-x86_64`."""
    kernels: tuple[ComputeCapability, ...] | Unknown = UNKNOWN
    ptx: tuple[ComputeCapability, ...] | Unknown = UNKNOWN
    gfx: tuple[str, ...] | Unknown = UNKNOWN
    serves: tuple[ComputeCapability, ...] = ()
    """Compute capabilities of NVIDIA GPUs for which it is known to hold machine code."""
    expects: tuple[str, ...] = ()
    from_source: bool = False
    answer: Answer
    rule: str = ""
    """The rule that decides: `wheel`, `python`, `driver`, `kernels` …; empty where it works."""
    because: str = ""
    """What it says, in a few words."""


class ReleaseRow(Record, frozen=True, kw_only=True):
    """One release with its builds."""

    version: Version
    released: str | Unknown = UNKNOWN
    yanked: bool = False
    prerelease: bool = False
    beyond: bool = False
    """Newer than what the catalog's authors looked at."""
    builds: tuple[BuildRow, ...]


class Matrix(Record, frozen=True, kw_only=True):
    """Releases of one framework against its variants, marked for a target."""

    name: str
    title: str
    target: str
    """What it is called: `this machine`."""
    target_words: str
    """What `--target` takes for the same answer."""
    known_to: Version | Unknown = UNKNOWN
    ended: Ended | None = None
    checked: str
    """ISO date of the oldest generated file that it rests on."""
    asked: int
    """How many releases were asked for."""
    variants: tuple[str, ...]
    """All that these releases have: the newest CUDA first, the CPU last."""
    releases: tuple[ReleaseRow, ...]
    """Newest first. A document holds all of them; words may be made of the newest alone."""


class FrameworkRow(Record, frozen=True, kw_only=True):
    """A framework in one line."""

    name: str
    title: str
    newest: Version | None
    """Its newest final release that was not withdrawn."""
    released: str | Unknown = UNKNOWN
    releases: int
    builds: int
    variants: tuple[str, ...]
    """Of the newest release."""
    known_to: Version | Unknown = UNKNOWN
    ended: Ended | None = None


class TableName(Record, frozen=True, kw_only=True):
    """A table beside the frameworks."""

    name: str
    title: str


class Table(Record, frozen=True, kw_only=True):
    """Records of one kind, as they are in the catalog. Unknown parts are left out."""

    name: str
    title: str
    columns: tuple[str, ...]
    """Fields of the rows that words show."""
    rows: tuple[dict[str, Any], ...]
    sources: tuple[Source, ...]
    """Those that its rows cite."""


class ShowDocument(Record, frozen=True, kw_only=True):
    """One of three: a framework, a table, or the list of all."""

    schema: Literal["dlsetup.catalog-show/1"] = "dlsetup.catalog-show/1"
    ok: bool = True
    framework: Matrix | Unknown = UNKNOWN
    table: tuple[Table, ...] | Unknown = UNKNOWN
    """A name may stand for several kinds of records: `drivers` for floors and branches."""
    frameworks: tuple[FrameworkRow, ...] | Unknown = UNKNOWN
    tables: tuple[TableName, ...] | Unknown = UNKNOWN


class WhyDocument(Record, frozen=True, kw_only=True):
    """Every build of one release with what each rule says of it. `ok`: not all of them are refused."""

    schema: Literal["dlsetup.catalog-why/1"] = "dlsetup.catalog-why/1"
    ok: bool
    framework: str
    version: Version
    target: Target
    beyond: bool
    """Newer than `known_to`: only the registry's metadata speaks of it."""
    known_to: Version | Unknown = UNKNOWN
    standings: tuple[Standing, ...]
    sources: tuple[Source, ...]
    """All that the verdicts cite."""
