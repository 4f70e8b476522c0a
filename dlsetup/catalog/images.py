"""Container images: `images/*.toml`, curated, read only by who asks for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product

from dlsetup.catalog.hardware import hardware
from dlsetup.catalog.image_form import ImageFile, ImageRow, RequirementRow
from dlsetup.catalog.load import Places, opened
from dlsetup.model.hardware import Distribution
from dlsetup.model.image import DriverRequirement, Image, ImageKnowledge, SystemPackages
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.source import Source
from dlsetup.model.versions import CudaVersion, LibcVersion

_IDS = {"rockylinux": "rocky", "ubi": "rhel", "oraclelinux": "ol"}
"""What tags call a distribution, and what it calls itself where that differs."""
_BASE = re.compile(r"(\d+\.\d+\.\d+)-(?:[a-z0-9]+-)+([a-z]+[\d.]+)")
"""CUDA and system in a tag of `nvidia/cuda`."""


def images(folders: Places = ()) -> tuple[Image, ...]:
    """All images, as the files have them. Raises `DataError` with the path of a malformed file."""
    place = opened(folders)
    files = _files(folders)
    asked = [row for file in files for row in file.requirement]
    systems = hardware(place).distributions
    return tuple(image for file in files for row in file.image for image in _expanded(row, asked, systems))


def image_knowledge(folders: Places = ()) -> ImageKnowledge:
    """All images, and who says so."""
    place = opened(folders)
    namings = tuple(row for file in _files(place) for row in file.naming)
    return ImageKnowledge(images=images(place), namings=namings, sources=image_sources(place))


def system_packages(folders: Places = ()) -> tuple[SystemPackages, ...]:
    """What distributions need of the system inside an image."""
    return tuple(row for file in _files(folders) for row in file.package)


def image_sources(folders: Places = ()) -> tuple[Source, ...]:
    """Who says so of the images."""
    return tuple(source for file in _files(folders) for source in file.source)


def _files(folders: Places) -> list[ImageFile]:
    place = opened(folders)
    found = (place.toml(f"images/{name}.toml", ImageFile) for name in place.names("images", ".toml"))
    return [file for file in found if file is not None]


def _expanded(
    row: ImageRow, asked: Sequence[RequirementRow], systems: Sequence[Distribution]
) -> Iterator[Image]:
    """One image for each release and system of the row."""
    for version, system in product(row.versions or (None,), row.systems or ("",)):
        name = _system(system)
        yield Image(
            repository=row.repository,
            tags=tuple(
                _filled(row.tag, version=version, cuda=row.cuda, kind=kind, system=system)
                for kind in row.kinds
            ),
            framework=row.framework,
            version=version,
            cuda=None if row.without_cuda else row.cuda,
            rocm=row.rocm,
            cudnn=None if row.without_cuda else row.cudnn,
            python=None if row.without_python else row.python,
            system=name,
            glibc=_glibc(name, systems),
            architectures=row.architectures,
            requirement=_requirement(row, system, asked),
            standing=row.standing,
            partial=row.partial,
            source=row.source,
        )


def _filled(scheme: str, **parts: object) -> str:
    """The scheme with each `{name}` in it replaced; a name that there is not stays as it is written."""
    for name, part in parts.items():
        scheme = scheme.replace(f"{{{name}}}", str(part))
    return scheme


def _system(tagged: str) -> str | Unknown:
    """`ubuntu 22.04` for `ubuntu22.04`, `rhel 9` for `ubi9`."""
    found = re.fullmatch(r"([a-z]+)([\d.]+)", tagged)
    return f"{_IDS.get(found[1], found[1])} {found[2]}" if found else UNKNOWN


def _glibc(system: str | Unknown, known: Sequence[Distribution]) -> LibcVersion | Unknown:
    rows = (row for row in known if system == f"{row.id} {row.version}")
    return next((row.libc_version for row in rows), UNKNOWN)


def _requirement(
    row: ImageRow, system: str, asked: Sequence[RequirementRow]
) -> DriverRequirement | None | Unknown:
    """Of an image that was built on one of `nvidia/cuda`, what that one asks."""
    if row.without_cuda or row.asks == "":
        return None
    base = None if isinstance(row.asks, Unknown) else _BASE.fullmatch(_filled(row.asks, system=system))
    if base is None:
        return UNKNOWN
    cuda = CudaVersion(base[1])
    rows = (item for item in asked if cuda in item.cuda and base[2] in item.systems)
    found = next(rows, None)
    if found is None:
        return UNKNOWN
    return DriverRequirement(condition=found.condition, passes=found.passes, source=found.source)
