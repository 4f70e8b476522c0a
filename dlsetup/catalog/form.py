"""The form of the catalog's files, as they lie on disk: what `compose` makes frameworks of."""

from __future__ import annotations

import msgspec
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.model.framework import Accelerator, Clue, Ended, Index
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.source import Source
from dlsetup.model.versions import ComputeCapability, CudaVersion

FIRST = Version("0")
DEFAULT = "default"
"""The index that uv or pip is configured with."""


class WheelRow(Record, frozen=True, kw_only=True, array_like=True):
    """Wheels of one release and platform: `["cp312 cp313", "manylinux_2_28_x86_64", 554600000]`."""

    pythons: str
    platform: str
    size_bytes: int


class RequiresRow(Record, frozen=True, kw_only=True, omit_defaults=True):
    """What the wheels of some platforms require; no platforms: all of them."""

    platforms: tuple[str, ...] = ()
    """Families of platforms: `linux-x86_64`."""
    base: tuple[str, ...] = ()
    extras: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """By extra; the extra itself is taken out of the markers."""


class Release(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One release of a distribution, out of the registry's metadata."""

    version: Version
    python: SpecifierSet = msgspec.field(default_factory=SpecifierSet)
    released: str = ""
    """ISO date of its first wheel."""
    yanked: bool = False
    sdist: bool = False
    """Whether its source can be had too, or is all there is."""
    wheels: tuple[WheelRow, ...] = ()
    requires: tuple[RequiresRow, ...] = ()


class TagsRow(Record, frozen=True, kw_only=True, array_like=True):
    """Wheels of one version and platform, of a library: `["py3", "manylinux_2_27_x86_64"]`."""

    pythons: str
    platform: str


class LibraryRow(Record, frozen=True, kw_only=True, omit_defaults=True):
    """What the versions of a library are built for, from `since` up to the row before it."""

    since: Version
    sdist: bool = False
    """Whether their source can be had too."""
    wheels: tuple[TagsRow, ...] = ()


class GeneratedFile(Record, frozen=True, kw_only=True, omit_defaults=True):
    """`generated/DISTRIBUTION.json`: written by the refresher alone, newest release first.

    Of a library that others pin only the versions are kept, and what they are built for, not the releases.
    """

    distribution: str
    checked: str
    releases: tuple[Release, ...] = ()
    versions: tuple[Version, ...] = ()
    """Final releases with a wheel that are not yanked."""
    yanked: tuple[Version, ...] = ()
    built: tuple[LibraryRow, ...] = ()
    """Of a library: newest first."""

    def installable(self) -> tuple[Version, ...]:
        """Final releases with a wheel that are not yanked, newest first."""
        good = (item.version for item in self.releases if not item.yanked and not item.version.is_prerelease)
        return self.versions or tuple(good)


class DistributionRow(Record, frozen=True, kw_only=True):
    """A distribution whose releases a framework is composed of."""

    name: str
    since: Version = msgspec.field(default_factory=lambda: FIRST)
    extras: tuple[str, ...] = ()
    """Extras whose requirements are kept; `*` keeps all."""
    sources: bool = False
    """Whether releases count of which there is a source but no wheel (see `BuildRow.from_source`)."""
    tags: dict[str, str] = msgspec.field(default_factory=dict)
    """Platform tags of its wheels that do not say what these are for, each with the one that does:
    `any = "linux_aarch64"`."""


class Range(Record, frozen=True, kw_only=True):
    """A row that holds for some releases."""

    since: Version = msgspec.field(default_factory=lambda: FIRST)
    """First release."""
    before: Version | None = None
    """First release that is out of the range."""

    def holds_for(self, version: Version) -> bool:
        """Whether a final release lies in the range."""
        return version >= self.since and (self.before is None or version < self.before)


class BuildRow(Range, frozen=True, kw_only=True):
    """A way in which a range of releases can be installed."""

    variant: str
    accelerator: Accelerator
    platforms: tuple[str, ...]
    """Families of platforms; the release counts where the registry has a wheel for one."""
    index: str = DEFAULT
    ask: tuple[str, ...] = ()
    """What an installer is asked for, with `{name}`, `{version}` and `{variant}` in it; left out: the
    release, and on another index than the default one its local version (`torch==2.14.1+cu126`)."""
    distribution: str = ""
    """Whose releases; the framework's first distribution if left out."""
    cuda: CudaVersion | None = None
    """The toolkit, where the variant does not say it."""
    min_capability: ComputeCapability | Unknown = UNKNOWN
    extras: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    """Requirements of the registry's wheel that this build does not have; `nvidia-*` means all such."""
    parts: tuple[str, ...] = ()
    """Distributions it is made of: their wheels decide too, their requirements are taken over."""
    expand: tuple[str, ...] = ()
    """Distributions without content, whose requirements are taken over."""
    requires: tuple[str, ...] = ()
    """Requirements that its metadata should say and does not (PEP 508)."""
    one_of: tuple[str, ...] = ()
    """See `Build.one_of`."""
    expects: tuple[str, ...] = ()
    """What it needs of the machine and does not bring along: see `Build.expects`."""
    from_source: bool = False
    """Nobody ships a wheel: an installer compiles the release where it is installed."""
    build_requires: tuple[str, ...] = ()
    """What has to be there while it is compiled: `torch`, `ninja`."""
    build_variables: tuple[str, ...] = ()
    """See `Build.build_variables`."""
    source: str


class CodeRow(Range, frozen=True, kw_only=True):
    """Architectures compiled into a variant. What is left out is unknown; an empty list is known."""

    variant: str
    platforms: tuple[str, ...]
    kernels: tuple[ComputeCapability, ...] | Unknown = UNKNOWN
    exact: tuple[ComputeCapability, ...] = ()
    """See `Build.exact`."""
    ptx: tuple[ComputeCapability, ...] | Unknown = UNKNOWN
    gfx: tuple[str, ...] | Unknown = UNKNOWN
    """Of a ROCm build: `gfx90a`, `gfx1100`."""
    source: str


class PinRow(Range, frozen=True, kw_only=True):
    """Requirements that builds from other indexes have beside those of the registry's wheel."""

    variant: str
    platforms: tuple[str, ...]
    requires: tuple[str, ...]
    source: str


class PairRow(Record, frozen=True, kw_only=True):
    """The counterpart of a release that does not pin one itself."""

    release: Version
    counterpart: Version
    requires: tuple[str, ...] = ()
    """What its metadata should say and does not."""


class Like(Record, frozen=True, kw_only=True):
    """A framework that is built in step with another one: each release as its counterpart is."""

    framework: str
    pair: tuple[PairRow, ...] = ()
    source: str


class MeasuredRow(Record, frozen=True, kw_only=True, omit_defaults=True):
    """Architectures read out of one published wheel."""

    version: Version
    platform: str
    """Family of platforms: `linux-x86_64`."""
    kernels: tuple[ComputeCapability, ...]
    ptx: tuple[ComputeCapability, ...]
    exact: tuple[ComputeCapability, ...] = ()
    """Of the kernels, those that run on that very capability alone: they are made for `sm_120a`."""
    wheel: str
    """File name."""
    sha256: str
    libraries: tuple[str, ...] = ()
    """Paths in the wheel of the shared objects that hold the code."""


class MeasuredFile(Record, frozen=True, kw_only=True):
    """`measured/DISTRIBUTION.json`: written by `dlsetup.catalog.measure` alone, newest release first."""

    distribution: str
    how: str
    """With what the wheels were read."""
    checked: str
    rows: tuple[MeasuredRow, ...] = ()


class FrameworkFile(Record, frozen=True, kw_only=True):
    """`frameworks/NAME.toml`: curated."""

    name: str
    title: str
    known_to: Version | None = None
    """The newest release that somebody looked at: of newer ones only the metadata is believed. Left out: the
    rows hold for whatever comes (one pure-Python wheel for everything)."""
    needs: tuple[str, ...] = ()
    """Frameworks that some release requires and whose variant matters: they come along."""
    ended: Ended | None = None
    family: str = ""
    distributions: tuple[str, ...]
    imports: str
    libraries: tuple[str, ...] = ()
    """Distributions that it pins and whose versions a resolver has to know."""
    twins: tuple[tuple[str, ...], ...] = ()
    like: Like | None = None
    """Whose `build` and `code` rows count for releases of which there are none here."""
    clue: tuple[Clue, ...] = ()
    distribution: tuple[DistributionRow, ...] = ()
    source: tuple[Source, ...] = ()
    build: tuple[BuildRow, ...] = ()
    code: tuple[CodeRow, ...] = ()
    pins: tuple[PinRow, ...] = ()


class IndexFile(Record, frozen=True, kw_only=True):
    """`indexes.toml`: curated."""

    index: tuple[Index, ...] = ()
