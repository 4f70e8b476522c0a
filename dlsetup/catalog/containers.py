"""What a container brings of its own: the C library and the Python of its image."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
_RELEASES = {
    "trixie": "debian 13",
    "bookworm": "debian 12",
    "bullseye": "debian 11",
    "buster": "debian 10",
    "resolute": "ubuntu 26.04",
    "noble": "ubuntu 24.04",
    "jammy": "ubuntu 22.04",
    "focal": "ubuntu 20.04",
}
"""Names of releases that tags carry."""


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
    repository, tag = _reference(image)
    rows = (row for row in images(place) if row.repository == repository and tag in row.tags)
    row = next(rows, None)
    if row is not None:
        return _of_row(image, row)
    if "/" in repository:
        return Inside(image=image)
    return Inside(
        image=image,
        libc=_libc(repository, tag, hardware(place).distributions),
        python=_python(repository, tag),
    )


def _reference(image: str) -> tuple[str, str]:
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


def _libc(repository: str, tag: str, known: Iterable[Distribution]) -> Libc | Unknown:
    """Of an official image: by the release that its tag names, or at least of which kind it is."""
    system = _system(repository, tag)
    for row in known:
        if system == f"{row.id} {row.version}":
            return Libc(name=row.libc, version=row.libc_version)
    if repository == "alpine" or re.search(r"(^|-)alpine", tag):
        return Libc(name="musl")
    usual = {row.id for row in known if row.libc == "glibc"} | {"python"}
    return Libc(name="glibc") if _NAMES.get(repository, repository) in usual else UNKNOWN


def _system(repository: str, tag: str) -> str:
    for word in tag.split("-"):
        if word in _RELEASES:
            return _RELEASES[word]
    version = re.match(r"\d+(\.\d+)?", tag)
    return f"{_NAMES.get(repository, repository)} {version[0]}" if version else ""


def _python(repository: str, tag: str) -> Version | Unknown:
    found = re.match(r"3\.\d+", tag) if repository == "python" else None
    return Version(found[0]) if found else UNKNOWN
