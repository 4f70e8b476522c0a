"""Installed distributions and files that ask for some, as every listing of a report builds them."""

from __future__ import annotations

import re

from packaging.version import InvalidVersion, Version

from dlsetup.intake.page import Line
from dlsetup.model.machine import Distribution
from dlsetup.model.record import Unknown
from dlsetup.model.variants import conda_variant, local_variant

CONDA_NAMES = {"pytorch": "torch", "pytorch-gpu": "torch", "pytorch-cpu": "torch"}
"""Packages under whose name conda ships a distribution of another name."""
LONGEST_NAME = 100


def canonical(name: str) -> str:
    """As packaging spells it, for names of a hostile length too."""
    return re.sub(r"[-_.]+", "-", name[:LONGEST_NAME]).lower()


def from_pip(name: str, version: str, line: Line, *, location: str = "") -> Distribution | None:
    """One that a tool of Python lists; None for what is no version."""
    read = _version(version)
    if read is None:
        return None
    variant = local_variant(read)
    return Distribution(
        name=canonical(name),
        version=read,
        variant=variant,
        variant_via="" if isinstance(variant, Unknown) else "local version",
        installer="pip",
        location=location,
        found_via=line.place,
    )


def from_conda(
    name: str, version: str, line: Line, *, build: str = "", channel: str = ""
) -> Distribution | None:
    """One that conda lists; what pip put there (`pypi_0`, channel `pypi`) is pip's. None for no version."""
    if build.startswith("pypi_") or channel == "pypi":
        return from_pip(name, version, line)
    read = _version(version)
    if read is None:
        return None
    plain = canonical(name)
    variant = conda_variant(build)
    return Distribution(
        name=CONDA_NAMES.get(plain, plain),
        version=read,
        variant=variant,
        variant_via="" if isinstance(variant, Unknown) else "conda build",
        installer="conda",
        origin=f"{channel or 'defaults'} {build}".strip(),
        found_via=line.place,
    )


def _version(text: str) -> Version | None:
    try:
        return Version(text[:60])
    except InvalidVersion:
        return None
