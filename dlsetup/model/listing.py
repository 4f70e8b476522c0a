"""What a file that lists packages says: requirements, bounds, indexes, and what could not be taken."""

from __future__ import annotations

from dlsetup.model.record import Record


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


class Listing(Record, frozen=True, kw_only=True):
    """A file that lists packages, whatever its form."""

    requirements: tuple[Said, ...] = ()
    """PEP 508, markers included, hashes left out."""
    constraints: tuple[Said, ...] = ()
    """Bounds on what is installed for other reasons."""
    indexes: tuple[Said, ...] = ()
    """Addresses of indexes from which anything may come."""
    sources: tuple[tuple[str, Said], ...] = ()
    """Distributions with an index of their own, and its address."""
    includes: tuple[Said, ...] = ()
    """Paths of further files, relative to this one, that list requirements."""
    bounds: tuple[Said, ...] = ()
    """Paths of further files that list constraints."""
    python: str = ""
    """A specifier: `>=3.10`."""
    cuda: str = ""
    """`11.8`: what packages of conda ask for."""
    cpu: bool = False
    """A package of conda asks for CPU builds."""
    locked: bool = False
    """A lock: it names every package, not only those that are wanted."""
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
