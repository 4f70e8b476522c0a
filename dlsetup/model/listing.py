"""What a file that lists packages says: requirements, bounds, indexes, and what could not be taken."""

from __future__ import annotations

from dlsetup.model.locked import LockNote
from dlsetup.model.record import UNKNOWN, Record, Unknown


class Said(Record, frozen=True, kw_only=True):
    """One thing that a file says."""

    text: str
    where: str
    """`requirements.txt, line 3`, `pyproject.toml, project.dependencies`."""


class Left(Record, frozen=True, kw_only=True):
    """One thing that was not taken, and why."""

    text: str
    where: str
    because: str


class Placed(Record, frozen=True, kw_only=True):
    """A distribution with an index of its own."""

    distribution: str
    address: Said
    marker: str = ""
    """Where that holds (PEP 508); empty: everywhere."""


class Listing(Record, frozen=True, kw_only=True):
    """A file that lists packages, whatever its form."""

    requirements: tuple[Said, ...] = ()
    """PEP 508, markers included, hashes left out."""
    constraints: tuple[Said, ...] = ()
    """Bounds on what is installed for other reasons."""
    indexes: tuple[Said, ...] = ()
    """Addresses of indexes from which anything may come."""
    sources: tuple[Placed, ...] = ()
    includes: tuple[Said, ...] = ()
    """Paths of further files, relative to this one, that list requirements."""
    bounds: tuple[Said, ...] = ()
    """Paths of further files that list constraints."""
    python: str = ""
    """A specifier: `>=3.10`."""
    cuda: str = ""
    """`11.8`: what packages of conda ask for."""
    cpu: bool = False
    """CPU builds are asked for: by a package of conda, or by what dlsetup wrote down."""
    allow_cpu: bool = False
    """A framework without a build for the GPU may fall to its CPU build, as dlsetup wrote down."""
    locked: bool = False
    """A lock: it names every package, not only those that are wanted."""
    note: LockNote | Unknown = UNKNOWN
    """What dlsetup wrote into a lock: which build each framework is of."""
    left: tuple[Left, ...] = ()


class Reading(Record, frozen=True, kw_only=True):
    """What was made of a file, for whoever wants to check it."""

    path: str
    frameworks: tuple[Said, ...] = ()
    """Taken as wishes for frameworks of the catalog."""
    packages: tuple[Said, ...] = ()
    """Kept for the installer."""
    notes: tuple[str, ...] = ()
    """What else was taken: Python, CUDA, indexes."""
    left: tuple[Left, ...] = ()
