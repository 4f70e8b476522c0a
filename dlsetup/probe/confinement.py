"""What stands between the system and the hardware: WSL, a container."""

from __future__ import annotations

import re

from dlsetup.model.machine import Wsl
from dlsetup.model.record import UNKNOWN
from dlsetup.probe.host import Host
from dlsetup.probe.notes import printable

CGROUP_WORDS = (
    ("kubepods", "kubernetes"),
    ("libpod", "podman"),
    ("docker", "docker"),
    ("lxc", "lxc"),
    ("containerd", "containerd"),
)


def wsl(host: Host) -> Wsl | None:
    """Windows Subsystem for Linux, told by its kernel or by its bridge to Windows.

    The kernel of version 1 is `4.4.0-19041-Microsoft`, of version 2 `5.15.153.1-microsoft-standard-WSL2`;
    a kernel that the user built may say neither, but has /dev/dxg and the bridge.
    """
    kernel = host.read("/proc/sys/kernel/osrelease") or ""
    bridge = "WSL_INTEROP" in host.environ or host.exists("/run/WSL")
    if "microsoft" not in kernel.lower() and not (bridge and host.exists("/dev/dxg")):
        return None
    second = "WSL2" in kernel or "microsoft-standard" in kernel or host.exists("/dev/dxg")
    first = re.search(r"^[34]\.\d+\.\d+-\d+-Microsoft", kernel) is not None
    return Wsl(
        version=2 if second else 1 if first else UNKNOWN,
        distribution=printable(host.environ.get("WSL_DISTRO_NAME", "")) or UNKNOWN,
    )


def is_wsl(host: Host) -> bool:
    """Whether the GPU comes from Windows."""
    return host.platform.startswith("linux") and wsl(host) is not None


def container(host: Host) -> str | None:
    """The kind of container, outermost word first; None outside any."""
    if "KUBERNETES_SERVICE_HOST" in host.environ:
        return "kubernetes"
    if host.exists("/.singularity.d") or "APPTAINER_CONTAINER" in host.environ:
        return "apptainer"
    if host.exists("/run/.containerenv"):
        return "podman"
    if host.exists("/.dockerenv"):
        return "docker"
    told = (host.read("/run/systemd/container") or host.environ.get("container", "")).strip()
    if told and told != "wsl":
        return printable(told)
    cgroup = host.read("/proc/1/cgroup") or ""
    return next((kind for word, kind in CGROUP_WORDS if word in cgroup), None)
