"""The form of what a refresh learns beside releases: files that wheels share, and what other indexes have."""

from __future__ import annotations

import msgspec
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.catalog.form import WheelRow
from dlsetup.model.record import Record


class OverlapRow(Record, frozen=True, kw_only=True, omit_defaults=True):
    """Distributions each of which writes files of each other one."""

    distributions: tuple[str, ...]
    path: str
    """The folder that all these files lie in, or else the package that most of them belong to."""
    code: int
    """How many of them are programs, libraries or Python modules, which do not work when overwritten."""
    other: int
    """How many are headers, texts and the like."""
    platforms: tuple[str, ...]
    """Families where it is so."""
    versions: dict[str, SpecifierSet] = msgspec.field(default_factory=dict)
    """Of which versions of a distribution, where not of all."""


class OverlapsFile(Record, frozen=True, kw_only=True, omit_defaults=True):
    """`generated/overlaps.json`: written by the refresher alone."""

    checked: str
    libraries: tuple[OverlapRow, ...] = ()
    """CUDA libraries, of several majors above all."""
    twins: tuple[OverlapRow, ...] = ()
    """Distributions that own the same import package."""


class ListedRelease(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A release as one index has it."""

    version: Version
    """With its local part: `2.14.1+cu126`."""
    wheels: tuple[WheelRow, ...]
    yanked: bool = False


class ListedDistribution(Record, frozen=True, kw_only=True):
    name: str
    releases: tuple[ListedRelease, ...]
    """Newest first; empty: the index has no such distribution."""


class ListingFile(Record, frozen=True, kw_only=True):
    """`generated/index-NAME.json`: what a framework's own index has. Written by the refresher alone."""

    index: str
    """Its name in `indexes.toml`."""
    checked: str
    distributions: tuple[ListedDistribution, ...] = ()
