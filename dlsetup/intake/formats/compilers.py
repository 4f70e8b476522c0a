"""Compilers of the host, as they say their version.

$ gcc --version | head -1
gcc (Ubuntu 13.2.0-23ubuntu4) 13.2.0
gcc (GCC) 12.2.1 20221121 (Red Hat 12.2.1-4)
gcc version 11.4.0 (Ubuntu 11.4.0-1ubuntu1~22.04)
x86_64-conda-linux-gnu-c++ (conda-forge gcc 12.4.0-2) 12.4.0
-- The CXX compiler identification is GNU 13.2.0
GCC version: (Debian 10.2.1-6) 10.2.1 20210110
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact, observed, shown
from dlsetup.intake.page import Page
from dlsetup.intake.reading import reads
from dlsetup.model.machine import Tool

_VERSION = r"(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)\b"
_BANNER = re.compile(
    rf"(?:\b(?:gcc|g\+\+|cc|c\+\+)(?:-\d{{1,2}})? |\bGCC version: {{1,4}})\(([^()\n]{{2,60}})\) {_VERSION}"
    r"(?: \d{8})?(?: \((Red Hat) [^()\n]{1,20}\))?"
)
_VERBOSE = re.compile(rf"\bgcc version {_VERSION}(?: \d{{8}})? \(([^()\n]{{2,60}})\)")
_CMAKE = re.compile(rf"\bThe CXX compiler identification is GNU {_VERSION}")
_KERNEL = re.compile(r"\bLinux version \d")
"""What follows built the kernel, most often elsewhere."""


@reads("gcc --version", "gcc ", "g++ ", "cc (", "c++ ", "GCC version", "compiler identification")
def compilers(page: Page) -> Iterator[Fact]:
    """The version of the host compiler, and whose build it is."""
    for line in page.lines:
        if _KERNEL.search(line.text):
            continue
        if found := _BANNER.search(line.text):
            maker, version = found[3] or found[1], found[2]
        elif found := _VERBOSE.search(line.text):
            maker, version = found[2], found[1]
        elif found := _CMAKE.search(line.text):
            maker, version = "", found[1]
        else:
            continue
        yield shown("tool", Tool(name="gcc", path="", version=version), line)
        if maker and maker != "GCC":
            yield observed("gcc.maker", maker, line)
