"""How the NVIDIA driver is installed on each family of Linux: NVIDIA's guide where it has a way of its own.

GPUs before Turing have no open kernel modules: for them 580 is the last branch.
"""

from __future__ import annotations

from dlsetup.judge.linux_families import Family, family_of, major_of
from dlsetup.judge.scene import Scene
from dlsetup.model.record import Record
from dlsetup.model.versions import ComputeCapability
from dlsetup.rules.gpus import capability_of

GUIDE = "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/"
"""Read for branches 595 to 620 on 2026-12-02."""
DOWNLOADS = "https://www.nvidia.com/drivers"
RPM_FUSION = "https://rpmfusion.org/Howto/NVIDIA"
AMAZON_GUIDE = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/install-nvidia-driver.html"
JETPACK = "https://developer.nvidia.com/embedded/jetpack-archive"
_TURING = ComputeCapability("7.5")
_FIRST_DEBIAN = 11
"""NVIDIA's repositories for older ones have no driver of today."""
_OWN_REPOSITORY = (
    "cuda-drivers",
    "nvidia-driver",
    "nvidia-driver-cuda",
    "nvidia-open",
    "kmod-nvidia-open-dkms",
)
"""Packages of NVIDIA's repository for Fedora; those of RPM Fusion have other names."""


class Way(Record, frozen=True, kw_only=True):
    """Where it comes from, as the end of a sentence, and the commands; none where a person has to choose."""

    where: str
    commands: tuple[str, ...] = ()


def way_of(scene: Scene) -> Way:
    """The way of this machine, which is neither WSL nor inside a container."""
    if scene.target.os == "windows":
        return Way(where=f" from {DOWNLOADS}, then restart Windows")
    if scene.on_tegra is True:
        return Way(
            where=": on a Jetson it is a part of JetPack, so install the JetPack that brings it "
            f"({JETPACK}), never a driver for other machines"
        )
    family = family_of(scene)
    if family == "ubuntu":
        return _ubuntu(scene)
    way = _before_turing(scene, family) if _old(scene) else _of(scene, family)
    return Way(where=way.where, commands=(*way.commands, "sudo reboot") if way.commands else ())


def _ubuntu(scene: Scene) -> Way:
    """The tool chooses the branch, and modules that fit kernel and GPU."""
    major = major_of(scene)
    verb = "autoinstall" if major is not None and major < 20 else "install"
    return Way(
        where="; `ubuntu-drivers list` shows what there is for this GPU",
        commands=(f"sudo ubuntu-drivers {verb}", "sudo reboot"),
    )


def _old(scene: Scene) -> bool:
    """Whether a GPU is known to be older than Turing."""
    found = (capability_of(gpu, scene.catalog.hardware) for gpu in scene.gpus("nvidia"))
    return any(isinstance(item, ComputeCapability) and item < _TURING for item in found)


def _of(scene: Scene, family: Family | None) -> Way:
    major = major_of(scene)
    named = f" from NVIDIA's repository for this system ({GUIDE})"
    if family == "debian" and (major is None or major >= _FIRST_DEBIAN):
        commands = ("sudo apt update", "sudo apt install nvidia-open")
        return Way(where=f"{named}; Debian's own `nvidia-driver` stays on one branch", commands=commands)
    if family == "fedora":
        return _fedora(scene, named)
    if family in ("rhel", "amazon"):
        return _enterprise(family, major, named)
    if family == "suse":
        return Way(where=named, commands=("sudo zypper install nvidia-open",))
    if family == "arch":
        return _arch(scene)
    return Way(where=f" with the means of this system or from {DOWNLOADS}; restart")


def _fedora(scene: Scene, named: str) -> Way:
    if any(item.name in _OWN_REPOSITORY for item in scene.packages):
        return Way(where=named, commands=("sudo dnf install nvidia-open",))
    return Way(
        where=f" from RPM Fusion ({RPM_FUSION}), and wait until its module is built",
        commands=("sudo dnf install akmod-nvidia xorg-x11-drv-nvidia-cuda", "sudo akmods --force"),
    )


def _enterprise(family: Family, major: int | None, named: str) -> Way:
    """Release 10 has no module streams any more, and the oldest ones have no driver of today."""
    if family == "amazon" and major is not None and major < 2023:
        return Way(where=f" as {AMAZON_GUIDE} says; Amazon Linux 2023 has packages of it")
    if family == "rhel" and major is not None and major < 8:
        return Way(where=f" from {DOWNLOADS}: NVIDIA's packages need release 8 or newer of this system")
    enable = ("sudo dnf module enable nvidia-driver:open-dkms",) if _has_streams(family, major) else ()
    return Way(where=named, commands=(*enable, "sudo dnf install nvidia-open"))


def _has_streams(family: Family | None, major: int | None) -> bool:
    return (family, major) in (("rhel", 8), ("rhel", 9), ("amazon", 2023))


def _arch(scene: Scene) -> Way:
    """`nvidia-open` holds modules for the system's own kernel alone."""
    kernel = scene.machine.system.kernel
    own = isinstance(kernel, str) and "-arch" in kernel
    package = "nvidia-open" if own else "nvidia-open-dkms"
    headers = "" if own else ", beside the headers of the kernel"
    command = f"sudo pacman -Syu {package} nvidia-utils"
    return Way(where=f" from the system's repositories{headers}", commands=(command,))


def _before_turing(scene: Scene, family: Family | None) -> Way:
    last = "branch 580 is the last one for this GPU"
    where = f" from NVIDIA's repository for this system ({GUIDE}); {last}"
    if family == "debian":
        held = "sudo apt install nvidia-driver-pinning-580"
        return Way(where=where, commands=("sudo apt update", held, "sudo apt install cuda-drivers"))
    if _has_streams(family, major_of(scene)):
        stream = "sudo dnf module enable nvidia-driver:580-dkms"
        return Way(where=where, commands=(stream, "sudo dnf install cuda-drivers"))
    if family == "fedora":
        return Way(where=f" from RPM Fusion ({RPM_FUSION}); {last}")
    if family == "arch":
        return Way(where=f": `nvidia-580xx-dkms` of the AUR, since {last}")
    return Way(where=f" with the means of this system or from {DOWNLOADS}; {last}")
