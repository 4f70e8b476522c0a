"""What does not go together, as `pip check`, `uv pip check` and an install say it; and `pip inspect`.

torch 2.1.0+cu118 has requirement numpy<2, but you have numpy 2.0.1.
torchvision 0.15.2 requires torch==2.0.1, but you have torch 2.1.0 which is incompatible.
torch 2.1.0+cu118 requires filelock, which is not installed.
The package `torch` requires `nvidia-cudnn-cu12==8.9.2.26`, but `9.1.0.70` is installed

        "metadata_version": "2.1",
        "name": "nvidia_cudnn_cu12",
        "version": "9.1.0.70",
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.version import Version

from dlsetup.intake.fact import Fact, Weight, shown
from dlsetup.intake.packages import installed
from dlsetup.intake.page import Page
from dlsetup.intake.reading import reads
from dlsetup.model.processors import processor

_NAME = r"([A-Za-z0-9][\w.-]{0,80})"
_VERSION = r"(\d[\w.+!-]{0,50}?)"
_OWNER = re.compile(rf"(?:^|[\s:]){_NAME} {_VERSION} (?:has requirement|requires) [A-Za-z]")
_PRESENT = re.compile(rf", but you(?:'ll)? have {_NAME} {_VERSION}(?: which is incompatible)?[.]?\s*$")
_UV = re.compile(
    rf"The package `{_NAME}` requires `{_NAME}[^`]{{0,120}}`, but `(\d[\w.+!-]{{0,50}})` is installed"
)
_KEY = re.compile(r'^\s{0,16}"(name|version)": "([^"]{1,90})",?\s*$')
_PYTHON = re.compile(r'^\s{0,8}"python_full_version": "(\d\.\d{1,2}\.\d{1,2})')
_PLACE = re.compile(r'^\s{0,8}"(sys_platform|platform_machine)": "(\w{2,20})"')
_SYSTEMS = {"linux": "linux", "darwin": "macos", "win32": "windows"}


@reads("pip check", "but you have", "but you'll have", "which is not installed")
def pip_check(page: Page) -> Iterator[Fact]:
    """Both are installed: the one that asks, and the one that it does not accept."""
    for line in page.lines:
        present = _PRESENT.search(line.text)
        if present is None and "which is not installed" not in line.text:
            continue
        owner = _OWNER.search(line.text)
        if owner:
            yield from installed(owner[1], owner[2], line, weight=Weight.TOLD)
        if present:
            yield from installed(present[1], present[2], line, weight=Weight.TOLD)


@reads("uv pip check", "The package `")
def uv_check(page: Page) -> Iterator[Fact]:
    """uv tells the version of what is there, not of what asks."""
    for line in page.lines:
        if found := _UV.search(line.text):
            yield from installed(found[2], found[3], line, weight=Weight.TOLD)


@reads("pip inspect", '"metadata_version"')
def inspected(page: Page) -> Iterator[Fact]:
    """Line by line, so that one that is cut short is read as well; pip writes one key on a line."""
    name = ""
    inside = False
    for line in page.lines:
        inside = (inside or '"metadata_version"' in line.text) and '"requires_dist"' not in line.text
        key = _KEY.match(line.text) if inside else None
        if key and key[1] == "name":
            name = key[2]
        elif key and name:
            yield from installed(name, key[2], line)
            name, inside = "", False
        elif found := _PYTHON.match(line.text):
            yield shown("environment.python", Version(found[1]), line)
        elif (found := _PLACE.match(line.text)) and found[1] == "platform_machine":
            yield shown("system.arch", processor(found[2]), line)
        elif found and found[2] in _SYSTEMS:
            yield shown("system.os", _SYSTEMS[found[2]], line)
