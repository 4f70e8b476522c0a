"""Packages of the operating system that concern GPUs.

ii  libnvidia-compute-550:amd64  550.120-0ubuntu0.22.04.1  amd64  NVIDIA libcompute package
nvidia-driver-cuda-560.35.03-1.fc40.x86_64
Upgrade: libnvidia-compute-535:amd64 (535.171.04-0ubuntu0.22.04.1, 535.183.01-0ubuntu0.22.04.1)
nvidia-utils 565.57.01-1
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact, observed, shown
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads
from dlsetup.model.machine import SystemPackage

_NAME = (
    r"(?:libnvidia-[\w.+-]{2,60}|nvidia-[\w.+-]{2,60}|[ak]?kmod-nvidia[\w.+-]{0,40}|akmod-nvidia|libcuda1\S{0,20}"
    r"|xorg-x11-drv-nvidia[\w-]{0,30}|cuda(?:-[\w.+-]{1,60})?|libcudnn\w{0,30}(?:-[\w-]{1,20})?|libnccl\w{0,10}"
    r"|linux-(?:modules|objects|headers)-[\w.+-]{1,80}|libze[\w-]{0,20}|intel-[\w-]{2,40}|level-zero[\w-]{0,20}"
    r"|datacenter-gpu-manager|libopencl-clang\S{0,20}|libstdc\+\+6|gcc(?:-\d{1,2})?|g\+\+(?:-\d{1,2})?)"
)
_DPKG = re.compile(rf"^\W{{0,4}}?([a-zA-Z]{{2,3}})\s{{1,3}}({_NAME})(?::\w{{3,6}})?\s{{1,80}}(\d\S{{0,60}})")
_STATES = {
    "ii": "installed",
    "hi": "installed",
    "rc": "removed",
    "iU": "half-installed",
    "iF": "half-installed",
}
_UPGRADED = re.compile(rf"({_NAME}):\w{{3,6}} \((\d[^\s,)]{{1,60}}), (\d[^\s,)]{{1,60}})\)")
_RPM = re.compile(
    r"^\W{0,4}((?:[ak]?kmod-|xorg-x11-drv-|lib)?nvidia(?:-[a-z][\w]{1,30}){0,6}|cuda(?:-[a-z][\w]{1,30}){0,5}(?:-\d{1,2}-\d{1,2})?)"
    r"-(?:\d:)?(\d{1,3}\.\d[\w.]{0,20}-[\w.~+]{1,40})\.(?:x86_64|aarch64|noarch)\s*$"
)
_PACMAN = re.compile(
    r"^\W{0,4}((?:lib32-)?nvidia(?:-[a-z]{2,10}){0,3}|cuda|cudnn) (\d[\w.]{2,30}-\d{1,3})\s*$"
)


@reads("dpkg -l, rpm -qa, pacman -Q", "nvidia", "cuda", "libze", "level-zero", "libnccl", "libcudnn")
def packages(page: Page) -> Iterator[Fact]:
    """Each package with its version; of an upgrade the version that it left."""
    manager = ""
    for line in page.lines:
        if found := _DPKG.match(line.text):
            yield from _managed("dpkg", manager, line)
            manager = "dpkg"
            state = _STATES.get(found[1])
            if state:
                item = SystemPackage(name=found[2], version=found[3], state=state, found_via=line.place)
                yield shown("package", item, line)
        elif found := _RPM.match(line.text) or _PACMAN.match(line.text):
            kind = "rpm" if found.re is _RPM else "pacman"
            yield from _managed(kind, manager, line)
            manager = kind
            item = SystemPackage(name=found[1], version=found[2], found_via=line.place)
            yield shown("package", item, line)
        else:
            for name, _, version in _UPGRADED.findall(line.text):
                item = SystemPackage(name=name, version=version, found_via=line.place)
                yield shown("package", item, line)


def _managed(kind: str, known: str, line: Line) -> Iterator[Fact]:
    """Whose list it is, once."""
    if kind != known:
        yield observed("package.manager", kind, line)
