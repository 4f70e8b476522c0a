"""Which packages of the operating system make up the NVIDIA driver, and of which release each is."""

from __future__ import annotations

import re

from dlsetup.judge.scene import Scene
from dlsetup.model.machine import SystemPackage
from dlsetup.model.versions import DriverRelease

_PART = re.compile(
    r"(?:libnvidia-compute|nvidia-driver|nvidia-dkms|nvidia-kernel-source|nvidia-utils)-(\d{3})(?:-server|-open)*"
    r"|nvidia-smi|nvidia-driver(?:-bin|-libs|-cuda|-cuda-libs)?|nvidia-kernel-(?:open-)?dkms|nvidia-kernel-support"
    r"|libcuda1|libnvidia-ml1?|[ak]?kmod-nvidia(?:-latest-dkms)?|xorg-x11-drv-nvidia(?:-cuda|-cuda-libs|-libs)?"
    r"|nvidia(?:-dkms|-open|-open-dkms|-utils)?"
)
_RELEASE = re.compile(r"(?:\d:)?(\d{3}\.\d{2,3}(?:\.\d{2})?)(?![\d.])")


def release_of(package: SystemPackage) -> DriverRelease | None:
    """The release of the driver that a package is of; None where its version tells none."""
    found = _RELEASE.match(package.version)
    return DriverRelease(found[1]) if found else None


def parts_by_branch(scene: Scene) -> dict[str, list[SystemPackage]]:
    """The installed parts of the driver, by the branch that the version or else the name tells.

    A transitional package bears the name of one branch and the version of the next.
    """
    parts: dict[str, list[SystemPackage]] = {}
    for item in scene.packages:
        found = _PART.fullmatch(item.name)
        release = release_of(item)
        branch = str(release.major) if found and release else found[1] or "" if found else ""
        if branch:
            parts.setdefault(branch, []).append(item)
    return parts
