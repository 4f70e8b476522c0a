"""A lock: the very files of an environment, and what it was made for."""

from __future__ import annotations

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.model.conda import CondaSolution
from dlsetup.model.record import UNKNOWN, Record, Unknown


class LockTarget(Record, frozen=True, kw_only=True):
    """One of the targets that a lock was made for."""

    name: str
    words: str
    """As `--target` takes it."""


class LockPick(Record, frozen=True, kw_only=True):
    """One framework of a lock, and why it is this build."""

    framework: str
    version: Version
    variant: str
    index: str
    """Address of the one index it comes from; empty: the index that uv is configured with."""
    because: str = ""
    targets: tuple[str, ...] = ()
    """Names of the targets that get it."""


class LockNote(Record, frozen=True, kw_only=True):
    """What dlsetup writes into a lock: `[tool.dlsetup]`."""

    version: str
    """Of dlsetup."""
    catalog_checked: str = ""
    """ISO date of the oldest catalog file that the lock rests on."""
    python: Version
    """Major and minor: 3.12."""
    wish: tuple[str, ...] = ()
    because: tuple[str, ...] = ()
    learned: tuple[str, ...] = ()
    """Where uv knew more than the catalog, and what was taken instead."""
    platforms: tuple[str, ...] = ()
    """Markers of the systems and processors that it was made for; none where a target did not tell."""
    targets: tuple[LockTarget, ...] = ()
    picks: tuple[LockPick, ...] = ()


class LockedPackage(Record, frozen=True, kw_only=True):
    """One package of a lock."""

    name: str
    """Canonical: lower case, hyphens."""
    version: Version
    marker: str = ""
    """Where it is installed (PEP 508); empty: everywhere."""
    wheels: tuple[str, ...] | Unknown = UNKNOWN
    """File names; unknown where the lock names none."""
    source: bool = False
    """It can be built from source."""


class CondaLocked(Record, frozen=True, kw_only=True):
    """An explicit lock of conda packages as it was read."""

    path: str
    solution: CondaSolution
    note: LockNote | Unknown = UNKNOWN
    """Unknown for a lock that another tool made."""


class Locked(Record, frozen=True, kw_only=True):
    """A lock as it was read."""

    path: str
    requires_python: SpecifierSet = SpecifierSet()
    packages: tuple[LockedPackage, ...] = ()
    note: LockNote | Unknown = UNKNOWN
    """Unknown for a lock that another tool made."""
