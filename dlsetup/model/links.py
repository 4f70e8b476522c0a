"""How GPUs are joined, as `nvidia-smi topo -m` draws it: a row for each GPU, a word for each other one."""

from __future__ import annotations

import re

from dlsetup.model.record import Record

MOST = 64
"""GPUs of one machine that are believed."""
HEADING = re.compile(r"^\s{0,20}GPU0\s{1,12}(?:GPU1\s|NIC|mlx|CPU)")
_ROW = re.compile(r"^\s{0,4}GPU(\d{1,2})((?:\s{1,12}(?:X|NV\d{1,2}|PIX|PXB|PHB|NODE|SYS|N/A)\b){1,64})")


class Link(Record, frozen=True, kw_only=True):
    """How two GPUs are joined, in the words of `nvidia-smi topo -m`: `NV12`, `PIX`, `PHB`, `SYS`."""

    first: int
    second: int
    kind: str


def links_in_row(text: str) -> tuple[int, tuple[Link, ...]] | None:
    """The GPU of a row, and its links to those before it; None: the line is no row."""
    row = _ROW.match(text)
    if row is None or int(row[1]) >= MOST:
        return None
    own, words = int(row[1]), row[2].split()
    pairs = range(min(own, len(words)))
    return own, tuple(Link(first=other, second=own, kind=words[other]) for other in pairs)


def links_in(text: str) -> tuple[Link, ...]:
    """Every pair once."""
    # Of old releases a terminal gets the heading underlined.
    bare = re.sub(r"\x1b\[[0-9;]{0,8}m", "", text)
    rows = (links_in_row(line) for line in bare.splitlines())
    return tuple(link for row in rows if row for link in row[1])
