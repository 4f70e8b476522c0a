"""What installations that broke off left in a folder of packages. Health costs a few reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from packaging.version import Version

from dlsetup.model.framework import Clue
from dlsetup.model.machine import Distribution, Remains
from dlsetup.probe.distributions import concerns
from dlsetup.probe.host import Host
from dlsetup.probe.record import Recorded, digest_of, recorded

FIRST_LINES = 64 << 10
"""Of a RECORD: enough to know whether its files are there at all."""
SAMPLE = 20
RECORD_LIMIT = 4 << 20
COMPARED = 500
HASHED_SIZE = 64 << 10


def remains(
    host: Host, site: str, found: Iterable[tuple[Distribution, str]], clues: tuple[Clue, ...]
) -> Iterator[Remains]:
    """Folders such as `~orch`, metadata that is there twice, and metadata whose files are gone.

    `found`: the distributions of the folder, each with its metadata folder.
    """
    for entry in host.names(site):
        if entry.startswith("~") and host.is_folder(f"{site}/{entry}"):
            yield Remains(kind="leftover", path=f"{site}/{entry}")
    known: dict[str, list[tuple[str, Version]]] = {}
    for item, entry in found:
        if entry.endswith(".dist-info"):
            known.setdefault(item.name, []).append((entry, item.version))
    for name, folders in known.items():
        for entry, version in folders:
            path = f"{site}/{entry}"
            if len(folders) > 1:
                owns = _owns(host, site, path)
                yield Remains(kind="twice", path=path, name=name, version=version, owns=owns)
            elif _is_emptied(host, site, path, read=concerns(name, clues)):
                yield Remains(kind="emptied", path=path, name=name, version=version)


def _is_emptied(host: Host, site: str, path: str, *, read: bool) -> bool:
    """Whether its METADATA is gone, or, where its RECORD is to be `read`, all of the first files in it."""
    if host.is_folder(path) and not host.is_file(f"{path}/METADATA"):
        return True
    rows = list(islice(recorded(host, path, FIRST_LINES), SAMPLE)) if read else []
    return bool(rows) and not any(host.exists(f"{site}/{row.path}") for row in rows)


def _owns(host: Host, site: str, path: str) -> bool:
    """Whether the files beside it are those that it lists, by size, and small ones by content."""
    rows = list(islice(recorded(host, path, RECORD_LIMIT), COMPARED))
    return bool(rows) and all(_fits(host, f"{site}/{row.path}", row) for row in rows)


def _fits(host: Host, path: str, row: Recorded) -> bool:
    there = host.size(path)
    if there is None or (row.size is not None and there != row.size):
        return False
    if there > HASHED_SIZE or not row.digest.startswith("sha256="):
        return True
    return digest_of(host, path, HASHED_SIZE) == row.digest.rstrip("=")
