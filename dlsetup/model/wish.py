"""What the user asked for."""

from __future__ import annotations

from typing import Literal

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.model.framework import Accelerator
from dlsetup.model.record import Record

WITHOUT_CUDA = "none"
"""In place of a CUDA: builds for other devices, or for the CPU."""


class Wanted(Record, frozen=True, kw_only=True):
    """One framework: `tensorflow>=2.18`."""

    framework: str
    specifier: SpecifierSet = SpecifierSet()
    text: str = ""
    """As it was written."""
    extras: tuple[str, ...] = ()
    """`cuda12` of `jax[cuda12]`: some ask for a device, the rest is left to the installer."""
    distribution: str = ""
    """The name it is asked for by, where a framework has several: `onnxruntime-gpu`."""
    indexes: tuple[str, ...] = ()
    """Names of the indexes it may come from; empty: any."""
    filed: bool = False
    """A file says it, as it stands: nobody has to say it again."""


Prefer = Literal["newest", "stable", "smallest", "keep"]
"""What makes one plan better than another, after the pins, the devices and the CUDA family."""


class Kept(Record, frozen=True, kw_only=True):
    """A framework as it is installed or locked, which `keep` leaves alone if it can."""

    framework: str
    version: Version
    """Without a local part."""
    variant: str = ""
    """Empty: not known."""
    index: str = ""
    """Name of the index it comes from; empty: not known."""


class Wish(Record, frozen=True, kw_only=True):
    wanted: tuple[Wanted, ...]
    """In the order of their weight: the first one gets its newest release first."""
    python: SpecifierSet = SpecifierSet()
    accelerator: Accelerator | None = None
    """None: the GPU where there is one."""
    cuda: str | None = None
    """`12` (a family), `12.6` (a line), or `none`."""
    allow_cpu: bool = False
    """A framework without a build for the GPU may fall to its CPU build."""
    packages: tuple[str, ...] = ()
    """Further requirements that only the installer has to understand."""
    constraints: tuple[str, ...] = ()
    """Bounds on whatever else is installed."""
    origin: tuple[str, ...] = ()
    """Words of the command line that name files, and what to keep: `-r requirements.txt`."""
    profile: str = ""
    prefer: Prefer = "newest"
    kept: tuple[Kept, ...] = ()
    """What `keep` has to start from."""
    kept_python: Version | None = None
    """Major and minor: 3.12."""


class Profile(Record, frozen=True, kw_only=True):
    """A wish with a name: what `profiles/NAME.toml` holds."""

    name: str
    title: str
    summary: str
    """What it is for, in one sentence."""
    frameworks: tuple[str, ...]
    """Requirements on frameworks of the catalog, the weightiest first."""
    packages: tuple[str, ...] = ()
    """Further requirements, which only the installer has to understand."""
    python: str = ""
    verify: tuple[str, ...] = ()
    """What an environment made of it has to be able to do, in the words of `dlsetup verify --only`."""
    notes: tuple[str, ...] = ()
    """What somebody who takes it should know, a sentence each."""
