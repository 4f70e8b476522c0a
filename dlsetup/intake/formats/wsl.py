"""Windows Subsystem for Linux, asked from the Windows side.

PS C:\\> wsl -l -v
  NAME                   STATE           VERSION
* Ubuntu-22.04           Running         2
PS C:\\> wsl --version
WSL version: 2.3.26.0
Kernel version: 5.15.167.4-1
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact, shown
from dlsetup.intake.page import Page
from dlsetup.intake.reading import reads

_ROW = re.compile(
    r"^\s{0,4}(\*)?\s{0,3}([A-Za-z][\w.-]{1,40})\s{1,40}(?:Running|Stopped|Installing)\s{1,20}([12])\s*$"
)


@reads("wsl -l -v", "STATE")
def distributions(page: Page) -> Iterator[Fact]:
    """The distribution that is marked, or the only one."""
    rows = [(found, line) for line in page.lines if (found := _ROW.match(line.text))]
    rows = [row for row in rows if not row[0][2].startswith("docker-desktop")] or rows
    chosen = [row for row in rows if row[0][1]] or (rows if len(rows) == 1 else [])
    for found, line in chosen[:1]:
        yield shown("wsl.version", int(found[3]), line)
        yield shown("wsl.distribution", found[2], line)
        yield shown("system.os", "linux", line)
