"""The RECORD of an installed distribution: the files that it brought, with their sizes and contents."""

from __future__ import annotations

import base64
import csv
from collections.abc import Iterator
from typing import NamedTuple

from dlsetup.probe.host import Host
from dlsetup.probe.notes import whole_number

LONGEST_LINE = 4096


class Recorded(NamedTuple):
    """One line: `nvidia/nccl/lib/libnccl.so.2,sha256=…,212345`."""

    path: str
    """From the folder of packages."""
    digest: str
    size: int | None


def recorded(host: Host, folder: str, limit: int) -> Iterator[Recorded]:
    """Files that a package brings for itself, with content: no metadata, no scripts outside the folder.

    `folder`: the metadata's; of its RECORD at most `limit` bytes are read.
    """
    text = host.read(f"{folder}/RECORD", limit) or ""
    lines = (line for line in text.splitlines() if len(line) < LONGEST_LINE and "\0" not in line)
    for row in csv.reader(lines, strict=False):
        if len(row) != 3 or not row[0] or not row[1]:
            continue
        if not row[0].startswith(("..", "/")) and ".dist-info/" not in row[0]:
            yield Recorded(row[0], row[1], whole_number(row[2].strip()))


def digest_of(host: Host, path: str, limit: int) -> str | None:
    """The content as RECORD writes it: `sha256=` and URL-safe base64 without padding. None: unreadable."""
    data = host.read_bytes(path, limit + 1)
    if data is None:
        return None
    from hashlib import sha256

    return "sha256=" + base64.urlsafe_b64encode(sha256(data).digest()).decode().rstrip("=")
