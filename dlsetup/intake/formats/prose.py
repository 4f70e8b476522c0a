"""How people name their system and GPU in a sentence or a form.

- OS: Ubuntu 22.04
- Python 3.10, GPU: RTX 3060 12GB
Windows 11 23H2, driver 552.44
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.version import Version

from dlsetup.intake.fact import Fact, Weight, in_words, observed, shown
from dlsetup.intake.packages import version_in
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads
from dlsetup.model.machine import Gpu
from dlsetup.model.versions import DriverRelease, OsRelease

_LINUX = re.compile(
    r"\b(Ubuntu|Debian(?: GNU/Linux)?|Fedora(?: Linux)?|CentOS(?: Linux)?|Rocky Linux|AlmaLinux|Linux Mint"
    r"|openSUSE(?: Leap| Tumbleweed)?|SLES|Red Hat Enterprise Linux|RHEL|Oracle Linux|Amazon Linux"
    r"|Arch Linux|CachyOS|EndeavourOS|Pop!_OS|Manjaro|NixOS)"
    r"(?: (?:release |Linux )?v?(20\d\d|\d{1,2}(?:\.\d{1,2}){0,2})\b)?"
)
_WINDOWS = re.compile(r"\b(Windows (?:10|11|Server 20\d\d))\b")
_MAC = re.compile(r"\b(?:macOS|Mac OS X)(?: [A-Z][a-z]{2,10})? (\d{2}(?:\.\d{1,2}){0,2})\b")
_PYTHON = re.compile(
    r"\bC?[Pp]ython(?:[ -][Vv]ersion)?[\s-]?[:=]?\s?[('\"]?v?(3\.\d{1,2}(?:\.\d{1,2})?)\b"
    r"(?! ?[-–+]| (?:to|or) )"
)
_PYTHON_ALONE = re.compile(r"^\s{0,4}Python (3\.\d{1,2}\.\d{1,2}\S{0,8})$")
"""What `python --version` prints."""
_GPU = re.compile(
    r"\b((?:NVIDIA )?(?:(?:GeForce )?(?:RTX|GTX) ?\d{3,4}(?: ?(?:Ti|SUPER|Super))*(?: Laptop GPU)?"
    r"|RTX A\d{4}|Quadro [A-Z]{1,3} ?\d{3,4}|Tesla [A-Z]\d{1,3}[a-z]?|TITAN (?:V|RTX|Xp?)"
    r"|(?:A100|H100|H200|B200|V100|L40S|L4|A10G?|A40|T4)(?:[- ](?:SXM\d|PCIe|PCIE)\S{0,12})?))(?![\w-])"
)
_NAMED = re.compile(r"\b(?:GPU|gpu|[Gg]raphics|[Cc]ard|CUDA device|[Dd]evice|Hardware)\b")
_DRIVER = re.compile(
    r"\b(?:[Nn][Vv][Ii][Dd][Ii][Aa] )?[Dd]rivers?(?: [Vv]ersion)?(?: is)?"
    r"\s?[:=]?\s?v?(\d{3}\.\d{2,3}(?:\.\d{2})?)\b"
)
_WISHED = re.compile(
    r"requir|need|at least|or newer|or later|minimum|>=|upgrad|updat|install|latest|older than", re.IGNORECASE
)
"""A driver that a line asks for is not the one that is there."""
_OF_OTHERS = re.compile(
    r"site-packages|\bwheels? for|requir|supports?|or newer|or later|at least", re.IGNORECASE
)
"""A Python that a line speaks of in general is not the one that is there."""
_COMPILER = re.compile(r"\b(?:gcc|GCC|clang|Clang|ld)\b|\b[gc]\+\+|\bcc \(")
"""A compiler that names the system it was built on says nothing of the one it runs on."""
_BUILT_WITH = re.compile(r"^\W{0,4}torch\.version\.(cuda|hip)\W{1,6}(\d{1,2}\.\d{1,2}|None)\b")
LONGEST = 400
"""Letters of a line that somebody wrote by hand."""


@reads(
    "system in words",
    "buntu",
    "ebian",
    "Windows",
    "edora",
    "CentOS",
    "Rocky",
    "Alma",
    "RHEL",
    "SUSE",
    "SLES",
    "CachyOS",
    "EndeavourOS",
    "Pop!_OS",
    "Manjaro",
    "macOS",
    "Linux",
    "ython",
)
def system(page: Page) -> Iterator[Fact]:
    """Operating system and Python, as far as a line names them."""
    for line in page.lines:
        if len(line.text) > LONGEST or _COMPILER.search(line.text):
            continue
        if found := _LINUX.search(line.text):
            yield in_words("system.name", f"{found[1]} {found[2] or ''}".strip(), line)
            if found[2]:
                yield in_words("system.release", OsRelease(found[2]), line)
        if found := _PYTHON_ALONE.match(line.text):
            yield from _printed(found[1], line)
        elif (found := _PYTHON.search(line.text)) and not _OF_OTHERS.search(line.text):
            yield in_words("environment.python", Version(found[1]), line)
        yield from _others(line)


def _printed(version: str, line: Line) -> Iterator[Fact]:
    if (python := version_in(version)) is not None:
        yield shown("environment.python", Version(python.base_version), line)


def _others(line: Line) -> Iterator[Fact]:
    if found := _WINDOWS.search(line.text):
        yield in_words("system.name", found[1], line)
    if found := _MAC.search(line.text):
        yield in_words("system.release", OsRelease(found[1]), line)
        yield in_words("system.os", "macos", line)


@reads("torch.version.cuda", "torch.version.")
def built_with(page: Page) -> Iterator[Fact]:
    """`torch.version.cuda 12.1`, as somebody printed or wrote it."""
    for line in page.lines:
        if found := _BUILT_WITH.match(line.text):
            yield observed(f"torch.version.{found[1]}", found[2], line, weight=Weight.TOLD)


@reads("GPU and driver in words", "GPU", "gpu", "raphics", "ard", "river", "RTX", "GTX", "Tesla")
def gpu(page: Page) -> Iterator[Fact]:
    """One GPU that a line names as such, and the release of the driver."""
    for line in page.lines:
        if len(line.text) > LONGEST or "NVIDIA-SMI" in line.text:
            continue
        if (found := _DRIVER.search(line.text)) and not _WISHED.search(line.text):
            yield in_words("driver.module", DriverRelease(found[1]), line)
        named = named_gpu(line) if _NAMED.search(line.text) else None
        if named is not None:
            yield named
            return


def named_gpu(line: Line) -> Fact | None:
    """The GPU that a line names, if it names one."""
    found = _GPU.search(line.text)
    if found is None:
        return None
    item = Gpu(vendor="nvidia", name=found[1], found_via=line.place)
    return Fact("gpu", item, line.place, Weight.WORDS, "", f"words {line.file}")
