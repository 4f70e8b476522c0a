"""Installed distributions and files that ask for some, as every listing of a report builds them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.version import InvalidVersion, Version

from dlsetup.intake.fact import Fact, Weight, in_words
from dlsetup.intake.page import Line
from dlsetup.model.machine import Distribution, Library, Owner
from dlsetup.model.record import Unknown
from dlsetup.model.report import Asked
from dlsetup.model.variants import conda_variant, local_variant

CONDA_NAMES = {"pytorch": "torch", "pytorch-gpu": "torch", "pytorch-cpu": "torch"}
"""Packages under whose name conda ships a distribution of another name."""
LONGEST_NAME = 100


def canonical(name: str) -> str:
    """As packaging spells it, for names of a hostile length too."""
    return re.sub(r"[-_.]+", "-", name[:LONGEST_NAME]).lower()


def installed(name: str, version: str, line: Line, *, weight: Weight = Weight.SHOWN) -> Iterator[Fact]:
    """That a distribution is there, as a tool of Python lists it; nothing for what is no version."""
    item = from_pip(name, version, line)
    if item:
        yield Fact("distribution", item, line.place, weight)


def named(name: str, version: str, line: Line) -> Iterator[Fact]:
    """That somebody says that a distribution is there; nothing for what is no version."""
    read = version_in(version)
    if read is not None:
        item = Distribution(name=name, version=read, variant=local_variant(read), found_via=line.place)
        yield in_words("distribution", item, line)


def from_pip(name: str, version: str, line: Line) -> Distribution | None:
    """One that a tool of Python lists; None for what is no version."""
    read = version_in(version)
    if read is None:
        return None
    variant = local_variant(read)
    return Distribution(
        name=canonical(name),
        version=read,
        variant=variant,
        variant_via="" if isinstance(variant, Unknown) else "local version",
        installer="pip",
        found_via=line.place,
    )


def from_conda(
    name: str, version: str, line: Line, *, build: str = "", channel: str = ""
) -> Distribution | None:
    """One that conda lists; what pip put there (`pypi_0`, channel `pypi`) is pip's. None for no version."""
    if build.startswith("pypi_") or channel == "pypi":
        return from_pip(name, version, line)
    read = version_in(version)
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


def asked_of_conda(name: str, specifier: str, line: Line, *, channel: str) -> Asked:
    """One that conda is asked for, under the name that Python knows it by."""
    plain = canonical(name)
    return Asked(
        name=CONDA_NAMES.get(plain, plain),
        specifier=specifier.strip(),
        installer="conda",
        index=channel,
        source=line.place,
    )


def cudnn(version: str, path: str = "") -> Library:
    """A copy of cuDNN of which only the version is told, and perhaps where it stands; no file is named."""
    owner = Owner(kind="nobody")
    return Library(library="cudnn", version=Version(version), soname="", path=path, owner=owner)


def version_in(text: str) -> Version | None:
    """A version, for texts of a hostile length too; None for what is none."""
    try:
        return Version(text[:60])
    except InvalidVersion:
        return None
