"""What glibc's loader writes with `LD_DEBUG=libs`: every search, and where it ended."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.model.libraries import Seen

LINE = re.compile(r"^\s*\d+:\t(.*)$")
FIND = re.compile(r"find library=(.*) \[\d+\]; searching")
TRY = re.compile(r"\s*trying file=(.*)")


def searches(text: str) -> Iterator[Seen]:
    """Each search with the file that was tried last: the one it took, if that is there."""
    name, path = "", ""
    for raw in text.split("\n"):
        line = LINE.match(raw)
        said = line[1] if line else ""
        found = FIND.match(said)
        if found:
            if name:
                yield Seen(name=name, path=path)
            name, path = found[1], ""
            continue
        tried = TRY.match(said)
        path = tried[1] if tried else path
    if name:
        yield Seen(name=name, path=path)
