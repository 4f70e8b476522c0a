"""Windows Subsystem for Linux: the driver belongs to Windows, and version 1 has no GPU."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.commands import line
from dlsetup.judge.evidence import of_framework, of_message, of_package
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.machine import Wsl
from dlsetup.model.record import Unknown
from dlsetup.model.versions import CudaVersion

DRIVER_PACKAGE = re.compile(
    r"libnvidia-compute-\d+(-server)?(:\w+)?|libcuda1(-.*)?|cuda-drivers(-\d+)?|nvidia-driver-cuda(-libs)?"
    r"|nvidia-driver(-\d+)?(-server|-open)*|nvidia-(kernel-)?dkms(-.*)?"
)
"""Packages that bring a Linux driver or its libcuda."""


@check("wsl1-has-no-gpu")
def first_version(scene: Scene) -> Iterator[Answer]:
    """This distribution runs under WSL 1."""
    wsl = scene.machine.system.wsl
    if not isinstance(wsl, Wsl) or wsl.version != 1:
        return
    wanting = [item for item in scene.installed if isinstance(item.cuda, CudaVersion)]
    name = "DISTRIBUTION" if isinstance(wsl.distribution, Unknown) else wsl.distribution
    quoted = name if re.fullmatch(r"[\w.-]+", name) else "DISTRIBUTION"
    yield Finding(
        id="wsl1-has-no-gpu",
        severity="error" if wanting or scene.machine.partial else "warning",
        title="This distribution runs under WSL 1, which has no GPU",
        because="Only WSL 2 hands the GPU of Windows to Linux programs.",
        evidence=(
            Evidence(fact="WSL", value="1", source="the kernel"),
            *(of_framework(item) for item in wanting),
        ),
        remedies=(
            Remedy(
                text="Convert it on the Windows side, in PowerShell.",
                commands=("wsl --list --verbose", f"wsl --set-version {quoted} 2"),
                scope="windows",
            ),
        ),
    )


@check("wsl-linux-driver-shadows-windows-driver")
def linux_driver_inside(scene: Scene) -> Iterator[Answer]:
    """A Linux driver is installed inside WSL 2, in front of the one that Windows lends."""
    wsl = scene.machine.system.wsl
    found = [item for item in scene.packages if DRIVER_PACKAGE.fullmatch(item.name)]
    foreign = scene.messages("wsl-foreign-libcuda")
    if not isinstance(wsl, Wsl) or wsl.version == 1 or not (found or foreign):
        return
    names = [item.name for item in found] or ["libnvidia-compute-*", "nvidia-driver-*"]
    yield Finding(
        id="wsl-linux-driver-shadows-windows-driver",
        severity="error",
        title="A Linux driver is installed inside WSL",
        because="Inside WSL the driver is the one of Windows, in /usr/lib/wsl/lib; a Linux libcuda hides it.",
        evidence=(*map(of_package, found), *map(of_message, foreign[:1])),
        remedies=(
            Remedy(
                text="Remove these packages inside WSL, keep the driver of Windows, and start WSL again.",
                commands=(
                    *line(scene, ["sudo", "apt", "purge", *names]),
                    "wsl.exe --shutdown",
                ),
                scope="host",
            ),
        ),
    )
