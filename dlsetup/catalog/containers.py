"""What a container brings of its own: the C library and the Python of its image."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from packaging.version import Version

from dlsetup.catalog.hardware import hardware
from dlsetup.catalog.images import images
from dlsetup.catalog.load import Places, opened
from dlsetup.model.hardware import Distribution
from dlsetup.model.image import Image
from dlsetup.model.machine import Libc
from dlsetup.model.record import UNKNOWN, Record, Unknown

_NAMES = {"rockylinux": "rocky", "amazonlinux": "amzn", "oraclelinux": "ol"}
"""What official images are called, and what the system inside calls itself where that differs."""


class Inside(Record, frozen=True, kw_only=True):
    """What is known of an image before it is started."""

    image: str
    libc: Libc | Unknown = UNKNOWN
    python: Version | Unknown = UNKNOWN
    """Major and minor."""
    architectures: tuple[str, ...] | Unknown = UNKNOWN


def inside(image: str, folders: Places = ()) -> Inside:
    """What an image brings: by its row, or by the name of an official image; else nothing is known."""
    place = opened(folders)
    return inside_of(image, images(place), hardware(place).distributions)


def inside_of(image: str, known: Iterable[Image], systems: Sequence[Distribution]) -> Inside:
    """The same by rows that somebody has already read."""
    repository, tag = reference(image)
    row = next((row for row in known if row.repository == repository and tag in row.tags), None)
    if row is not None:
        return _of_row(image, row)
    if "/" in repository:
        return Inside(image=image)
    return Inside(image=image, libc=_libc(repository, tag, systems), python=_python(repository, tag))


def reference(image: str) -> tuple[str, str]:
    """Repository and tag: `docker.io/library/python:3.12@sha256:…` is `python`, `3.12`."""
    bare = image.partition("@")[0]
    repository, _, tag = bare.rpartition(":") if ":" in bare.rpartition("/")[2] else (bare, "", "latest")
    for prefix in ("docker.io/", "library/"):
        repository = repository.removeprefix(prefix)
    return repository, tag


def _of_row(image: str, row: Image) -> Inside:
    glibc = row.glibc
    python = row.python if isinstance(row.python, str) else ""
    found = re.match(r"3\.\d+", python)
    return Inside(
        image=image,
        libc=UNKNOWN if isinstance(glibc, Unknown) else Libc(name="glibc", version=glibc),
        python=Version(found[0]) if found else UNKNOWN,
        architectures=row.architectures,
    )


def _libc(repository: str, tag: str, known: Sequence[Distribution]) -> Libc | Unknown:
    """Of an official image: by the release that its tag names, or at least of which kind it is."""
    name = _NAMES.get(repository, repository)
    version = re.match(r"\d+(\.\d+)?", tag)
    words = tag.split("-")
    named = [row for row in known if row.series and row.series in words]
    numbered = [row for row in known if version and (row.id, row.version) == (name, version[0])]
    for row in (*named, *numbered):
        return Libc(name=row.libc, version=row.libc_version)
    if repository == "alpine" or re.search(r"(^|-)alpine", tag):
        return Libc(name="musl")
    usual = {row.id for row in known if row.libc == "glibc"} | {"python"}
    return Libc(name="glibc") if name in usual else UNKNOWN


def _python(repository: str, tag: str) -> Version | Unknown:
    found = re.match(r"3\.\d+", tag) if repository == "python" else None
    return Version(found[0]) if found else UNKNOWN
