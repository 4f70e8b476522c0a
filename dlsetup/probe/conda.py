"""Packages that conda put into an environment, from the records it keeps there."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec
from packaging.version import Version

from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.probe.host import Host
from dlsetup.probe.metadata import canonical, parsed
from dlsetup.probe.notes import printable

RECORD_LIMIT = 64 << 20
PLATFORM = re.compile(r"/(?:noarch|(?:linux|osx|win)-\w+)$")
ALIASES = {"pytorch": "torch"}
"""Packages under whose name conda ships a distribution of another name."""


def distribution_of(package: str) -> str:
    """The name of the distribution that a package brings, as far as names tell."""
    name = canonical(package)
    return ALIASES.get(name, name)


class CondaPackage(Record, frozen=True, kw_only=True):
    """`name` is that of the distribution it installs. `origin`: channel and build."""

    name: str
    version: Version
    build: str
    folder: str
    origin: str | Unknown = UNKNOWN


class _Told(msgspec.Struct):
    channel: str = ""


def conda_packages(host: Host, prefix: str, concerns: Callable[[str], bool]) -> tuple[CondaPackage, ...]:
    """Packages by the names of their records; the channel is read of those that concern us.

    Packages without a version in Python's sense (`2024a`, `9e`) are no frameworks and are left out.
    """
    folder = f"{prefix}/conda-meta"
    found = []
    for entry in host.names(folder):
        parts = entry.removesuffix(".json").rsplit("-", 2)
        version = parsed(parts[1]) if len(parts) == 3 and entry.endswith(".json") else None
        if version is None:
            continue
        name = distribution_of(parts[0])
        origin = _origin(host, f"{folder}/{entry}", parts[2]) if concerns(name) else UNKNOWN
        found.append(
            CondaPackage(name=name, version=version, build=printable(parts[2]), folder=folder, origin=origin)
        )
    return tuple(found)


def _origin(host: Host, path: str, build: str) -> str | Unknown:
    """`conda-forge cpu_generic_py311h1234567_200`: the channel by its name, without host, token, platform."""
    text = host.read_bytes(path, RECORD_LIMIT)
    try:
        channel = msgspec.json.decode(text or b"{}", type=_Told).channel
    except (msgspec.DecodeError, RecursionError):
        return UNKNOWN
    if not channel:
        return UNKNOWN
    place = re.sub(r"^\w+://[^/]*/(?:t/[^/]*/)?", "", channel).rstrip("/")
    return printable(f"{PLATFORM.sub('', place)} {build}")
