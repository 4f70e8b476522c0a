"""What the user asked for."""

from __future__ import annotations

from packaging.specifiers import SpecifierSet

from dlsetup.model.framework import Accelerator
from dlsetup.model.record import Record


class Wanted(Record, frozen=True, kw_only=True):
    """One framework: `tensorflow>=2.18`."""

    framework: str
    specifier: SpecifierSet = SpecifierSet()
    text: str = ""
    """As it was written."""


class Wish(Record, frozen=True, kw_only=True):
    wanted: tuple[Wanted, ...]
    """In the order of their weight: the first one gets its newest release first."""
    python: SpecifierSet = SpecifierSet()
    accelerator: Accelerator | None = None
    """None: the GPU where there is one."""
    cuda: str | None = None
    """`12` (a family) or `12.6` (a line)."""
    allow_cpu: bool = False
    """A framework without a build for the GPU may fall to its CPU build."""
    packages: tuple[str, ...] = ()
    """Further requirements that only the installer has to understand."""
    profile: str = ""


class Profile(Record, frozen=True, kw_only=True):
    """A wish with a name: what `profiles/NAME.toml` holds."""

    name: str
    title: str
    summary: str
    """What it is for, in one sentence."""
    frameworks: tuple[str, ...]
    """Requirements on frameworks of the catalog, the weightiest first."""
    packages: tuple[str, ...] = ()
    python: str = ""
    notes: tuple[str, ...] = ()
