"""How the NVIDIA kernel module comes to be loaded: what stands in its way is taken away first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.commands import line
from dlsetup.judge.host import driver_scope, install_driver
from dlsetup.judge.linux_families import family_of, family_or_usual, foreign_name, uses_apt
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Remedy
from dlsetup.model.machine import Sighting
from dlsetup.model.record import Unknown
from dlsetup.model.versions import DriverRelease

SECURE_BOOT = "secure boot"
MODULE = "dkms module"
IN_USE = "kernel driver in use"
NOUVEAU_FILE = "/etc/modprobe.d/no-nouveau.conf"
NOUVEAU = rf"printf 'blacklist nouveau\noptions nouveau modeset=0\n' | sudo tee {NOUVEAU_FILE}"
"""Keeps it from being loaded."""
TOOLS = "the tool of this system (`update-initramfs`, `dracut`, `mkinitcpio` …)"
"""What makes the file system that a kernel starts with, where nobody knows which it is."""


def load_module(scene: Scene, libraries: DriverRelease | None | Unknown) -> Iterator[Remedy]:
    """Install the driver, or take away what keeps its module out, or load it and see what the kernel says."""
    scope = driver_scope(scene)
    if scope == "container-host":
        text = "Load the NVIDIA driver on the host; nothing is to be done in the container."
        yield Remedy(text=text, scope=scope)
    elif libraries is None:
        yield install_driver(scene, "the NVIDIA driver")
    elif driven_by(scene, "nouveau"):
        other = "" if family_of(scene) else " (`dracut --force` on systems of Red Hat and SUSE)"
        if foreign_name(scene):
            other = f" with {TOOLS}"
        text = f"Keep `nouveau` from taking the GPU, make the first file system anew{other}, and restart."
        yield Remedy(text=text, commands=(NOUVEAU, *first_file_system(scene), "sudo reboot"), scope=scope)
    elif built_elsewhere(scene) or scene.messages("dkms-no-headers"):
        yield build_module(scene)
    elif secure_boot_is_on(scene):
        text = "Enrol the key that signs the module and confirm it at the restart, or switch Secure Boot off."
        yield Remedy(text=text, commands=(*enrol(scene), "sudo reboot"), scope=scope)
    else:
        text = "Load the module; if it refuses, the kernel says why."
        yield Remedy(text=text, commands=("sudo modprobe nvidia", "sudo dmesg | grep -i nvidia"), scope=scope)
        yield from _build(scene)


def _build(scene: Scene) -> Iterator[Remedy]:
    built = [
        item.name for item in scene.packages if re.fullmatch(r"nvidia-dkms-\d+(-server|-open)*", item.name)
    ]
    kernel = scene.machine.system.kernel
    if built and uses_apt(scene) and not isinstance(kernel, Unknown):
        words = ["sudo", "apt", "install", "--reinstall", f"linux-headers-{kernel}", *built]
        text = "If there is no module for this kernel, build it."
        yield Remedy(text=text, commands=("dkms status", *line(scene, words)), scope=driver_scope(scene))


def first_file_system(scene: Scene) -> tuple[str, ...]:
    """Makes it anew: the file system that the kernel starts with holds modules as well."""
    family = family_of(scene)
    if foreign_name(scene):
        return ()
    if family in ("fedora", "rhel", "amazon", "suse"):
        return ("sudo dracut --force",)
    return ("sudo mkinitcpio -P",) if family == "arch" else ("sudo update-initramfs -u",)


def enrol(scene: Scene) -> tuple[str, ...]:
    """Where each family of systems keeps the key that signs modules which are built on the machine."""
    family = family_of(scene)
    by_akmods = any(item.name.startswith(("akmod", "kmod-nvidia-6")) for item in scene.packages)
    if family == "suse":
        return ("sudo mokutil --import /var/lib/nvidia-pubkeys/MOK-nvidia-*.der",)
    if by_akmods or (family == "fedora" and not _uses_dkms(scene)):
        return ("sudo mokutil --import /etc/pki/akmods/certs/public_key.der",)
    if family == "ubuntu" or (family is None and not foreign_name(scene)):
        return ("sudo mokutil --import /var/lib/shim-signed/mok/MOK.der",)
    return ("sudo mokutil --import /var/lib/dkms/mok.pub",)


def _uses_dkms(scene: Scene) -> bool:
    return any("dkms" in item.name for item in scene.packages)


def secure_boot_is_on(scene: Scene) -> bool:
    """Whether the report or the machine says so."""
    return any(
        item.fact == SECURE_BOOT and "enabled" in item.value.lower() for item in scene.machine.sightings
    )


def driven_by(scene: Scene, module: str) -> bool:
    """Whether another module has the GPU."""
    return any(item.fact == IN_USE and item.value == module for item in scene.machine.sightings)


def built_elsewhere(scene: Scene) -> list[Sighting]:
    """What DKMS says of the module, if it is installed for no kernel that runs."""
    kernel = scene.machine.system.kernel
    states = [item for item in scene.machine.sightings if item.fact == MODULE]
    if isinstance(kernel, Unknown) or any(kernel in item.value.split() for item in states):
        return [item for item in states if isinstance(kernel, str) and item.value.endswith(f"{kernel} added")]
    return states


def build_module(scene: Scene) -> Remedy:
    """With DKMS, for the kernel that runs."""
    text = "Install the headers of that kernel, let DKMS build the module, and load it."
    build = ("sudo dkms autoinstall", "sudo modprobe nvidia")
    return Remedy(text=text, commands=(*headers(scene), *build), scope=driver_scope(scene))


def headers(scene: Scene) -> tuple[str, ...]:
    """The headers of the running kernel, as each family calls them; none for a system that is not known."""
    kernel = scene.machine.system.kernel
    family = family_or_usual(scene)
    if family is None:
        return ()
    text = "" if isinstance(kernel, Unknown) else kernel
    flavour = next((item for item in ("-lts", "-zen") if item in text), "")
    own = {
        "arch": f"sudo pacman -S linux{flavour}-headers",
        "suse": "sudo zypper install kernel-default-devel",
    }
    if family in own:
        return (own[family],)
    apt = family in ("ubuntu", "debian")
    tool, name = ("apt", "linux-headers-") if apt else ("dnf", "kernel-devel-")
    if isinstance(kernel, Unknown):
        return (f'sudo {tool} install "{name}$(uname -r)"',)
    return line(scene, ["sudo", tool, "install", f"{name}{kernel}"])
