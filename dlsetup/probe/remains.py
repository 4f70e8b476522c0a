"""What installations that broke off left in a folder of packages. Health costs a few reads."""

from __future__ import annotations

import base64
import csv
from collections.abc import Iterable, Iterator

from packaging.version import Version

from dlsetup.model.framework import Clue
from dlsetup.model.machine import Remains
from dlsetup.probe.distributions import concerns
from dlsetup.probe.host import Host
from dlsetup.probe.metadata import name_and_version
from dlsetup.probe.notes import whole_number

FIRST_LINES = 64 << 10
"""Of a RECORD: enough to know whether its files are there at all."""
SAMPLE = 20
RECORD_LIMIT = 4 << 20
COMPARED = 500
HASHED_SIZE = 64 << 10


def remains(host: Host, site: str, clues: tuple[Clue, ...]) -> Iterator[Remains]:
    """Folders such as `~orch`, metadata that is there twice, and metadata whose files are gone."""
    known: dict[str, list[tuple[str, Version]]] = {}
    for entry in host.names(site):
        told = name_and_version(host, site, entry)
        if told is not None and entry.endswith(".dist-info"):
            known.setdefault(told[0], []).append((entry, told[1]))
        elif entry.startswith("~") and host.is_folder(f"{site}/{entry}"):
            yield Remains(kind="leftover", path=f"{site}/{entry}")
    for name, found in known.items():
        for entry, version in found:
            path = f"{site}/{entry}"
            if len(found) > 1:
                owns = _owns(host, site, path)
                yield Remains(kind="twice", path=path, name=name, version=version, owns=owns)
            elif _is_emptied(host, site, path, read=concerns(name, clues)):
                yield Remains(kind="emptied", path=path, name=name, version=version)


def _is_emptied(host: Host, site: str, path: str, *, read: bool) -> bool:
    """Whether its METADATA is gone, or, where its RECORD is to be `read`, all of the first files in it."""
    if host.is_folder(path) and not host.is_file(f"{path}/METADATA"):
        return True
    rows = list(_rows(host, path, FIRST_LINES))[:SAMPLE] if read else []
    return bool(rows) and not any(host.exists(f"{site}/{row[0]}") for row in rows)


def _owns(host: Host, site: str, path: str) -> bool:
    """Whether the files beside it are those that it lists, by size, and small ones by content."""
    rows = list(_rows(host, path, RECORD_LIMIT))[:COMPARED]
    return bool(rows) and all(_fits(host, f"{site}/{name}", digest, size) for name, digest, size in rows)


def _fits(host: Host, path: str, digest: str, size: str) -> bool:
    there, wanted = host.size(path), whole_number(size.strip())
    if there is None or (wanted is not None and there != wanted):
        return False
    if there > HASHED_SIZE or not digest.startswith("sha256="):
        return True
    from hashlib import sha256

    data = host.read_bytes(path, HASHED_SIZE + 1) or b""
    return base64.urlsafe_b64encode(sha256(data).digest()).decode().rstrip("=") == digest[7:].rstrip("=")


def _rows(host: Host, path: str, limit: int) -> Iterator[tuple[str, str, str]]:
    """Lines of a RECORD about files that the package brings for itself."""
    text = host.read(f"{path}/RECORD", limit) or ""
    lines: Iterable[str] = (line for line in text.splitlines() if len(line) < 4096 and "\0" not in line)
    for row in csv.reader(lines, strict=False):
        ours = len(row) == 3 and row[0] and row[1]
        if ours and not row[0].startswith(("..", "/")) and ".dist-info/" not in row[0]:
            yield row[0], row[1], row[2]
