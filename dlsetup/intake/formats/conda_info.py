"""`conda info` and `micromamba info`.

       platform : osx-64
   virtual packages : __unix=0=0
                      __linux=5.15.0=0
                      __cuda=12.4=0
active env location : /opt/conda/envs/dl
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact, observed, shown
from dlsetup.intake.page import Page
from dlsetup.intake.reading import reads

_PLATFORM = re.compile(r"^\W{0,30}platform : (linux|osx|win)-(64|aarch64|arm64)\s*$")
_VIRTUAL = re.compile(r"^\W{0,30}(?:virtual packages : )?(__\w{2,20}=\S{1,40})\s*$")
_PLACE = re.compile(r"^\W{0,30}(?:active env location|env location) : (\S{1,300})\s*$")
_SYSTEMS = {"linux": "linux", "osx": "macos", "win": "windows"}
_ARCHES = {"64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}


@reads("conda info", "platform :", "virtual packages", "env location")
def conda_info(page: Page) -> Iterator[Fact]:
    """System, processor of the interpreter, and the virtual packages that conda derives from the machine."""
    virtual: list[str] = []
    for line in page.lines:
        platform, place, package = (
            _PLATFORM.match(line.text),
            _PLACE.match(line.text),
            _VIRTUAL.match(line.text),
        )
        if platform:
            yield shown("system.os", _SYSTEMS[platform[1]], line)
            yield shown("environment.arch", _ARCHES[platform[2]], line)
        elif place:
            yield shown("environment.path", place[1], line)
            yield shown("environment.kind", "conda", line)
        elif package:
            virtual.append(package[1])
            last = line
    if virtual:
        yield observed("conda.virtual_packages", " ".join(virtual)[:200], last)
