"""`uname` of a Mac.

$ uname -a
Darwin mini.local 22.6.0 Darwin Kernel Version 22.6.0: Fri Sep 15 2023; root:xnu-8796~1/RELEASE_X86_64 x86_64
$ uname -sm
Darwin arm64
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact, shown
from dlsetup.intake.page import Page
from dlsetup.intake.reading import reads
from dlsetup.model.processors import processor

_UNAME = re.compile(r"^\W{0,10}Darwin (?:\S{1,80} \d[\d.]{1,12} [^\n]{0,200}?)?(x86_64|arm64)\s*$")
_KERNEL = re.compile(r"/RELEASE_(X86_64|ARM64)")
"""A shell that runs through Rosetta says x86_64 of itself; the kernel's own name is that of the Mac."""


@reads("uname of a Mac", "Darwin ")
def darwin(page: Page) -> Iterator[Fact]:
    """System and processor."""
    for line in page.lines:
        if found := _UNAME.match(line.text):
            kernel = _KERNEL.search(line.text)
            yield shown("system.os", "macos", line)
            yield shown("system.arch", processor((kernel or found)[1].lower()), line)
