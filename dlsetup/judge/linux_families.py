"""Which family of Linux a machine is of, and how packages are installed there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from dlsetup.judge.commands import line
from dlsetup.judge.scene import Scene
from dlsetup.model.record import Unknown

Family = Literal["ubuntu", "debian", "fedora", "rhel", "amazon", "suse", "arch"]
"""Systems that take the same packages by the same command. `rhel`: with all that is built like it."""
FAMILIES: tuple[Family, ...] = ("ubuntu", "debian", "fedora", "rhel", "amazon", "suse", "arch")

_NAMES: tuple[tuple[Family, str], ...] = (
    ("ubuntu", r"ubuntu|\bmint\b|pop!?_?os|elementary|\bdgx os"),
    ("debian", r"debian|raspbian|\bkali\b|proxmox|\bpve\b"),
    ("fedora", r"fedora|nobara|bazzite|ultramarine"),
    ("amazon", r"amazon linux|\bamzn"),
    ("rhel", r"red hat enterprise|\brhel|centos|rocky|alma|oracle linux|scientific linux|springdale"),
    ("suse", r"suse|\bsles?\b|tumbleweed"),
    ("arch", r"\barch\b|archlinux|manjaro|endeavouros|cachyos|garuda|artix"),
)
_MARKS: tuple[tuple[Family, str], ...] = (
    ("ubuntu", r"ubuntu\d?"),
    ("debian", r"[+~]deb\d|bpo\d"),
    ("fedora", r"\.fc\d{2}\b"),
    ("amazon", r"\.amzn\d"),
    ("rhel", r"\.el\d{1,2}(?:_\d{1,2})?\b"),
    ("suse", r"\blp1\d{2}\b|\.suse\b"),
)
"""What the versions of packages bear."""
_KERNELS: tuple[tuple[Family, str], ...] = (
    *_MARKS,
    ("amazon", r"\bamzn\d"),
    ("arch", r"-arch\d|-MANJARO|-cachyos|-zen\d-\d-zen|^\d[\d.]+-\d{1,2}-lts$"),
    ("suse", r"^\d[\d.]+-\d{1,9}(?:\.\d{1,4})*-default$"),
    ("debian", r"-(?:cloud-)?amd64$"),
    ("ubuntu", r"-\d{1,3}-(?:generic|lowlatency|oem|aws|azure|gcp|nvidia|oracle)$"),
)
"""What releases of kernels bear, which each family builds for itself."""
_INSTALL: dict[Family, tuple[str, ...]] = {
    "ubuntu": ("apt", "install"),
    "debian": ("apt", "install"),
    "fedora": ("dnf", "install"),
    "rhel": ("dnf", "install"),
    "amazon": ("dnf", "install"),
    "suse": ("zypper", "install"),
    "arch": ("pacman", "-S"),
}
_APT_UPGRADE = ("sudo apt update", "sudo apt install --fix-broken", "sudo apt full-upgrade")
_REMOVE: dict[Family, tuple[str, ...]] = {
    "ubuntu": ("apt", "remove"),
    "debian": ("apt", "remove"),
    "fedora": ("dnf", "remove"),
    "rhel": ("dnf", "remove"),
    "amazon": ("dnf", "remove"),
    "suse": ("zypper", "remove"),
    "arch": ("pacman", "-Rns"),
}


def family_of(scene: Scene) -> Family | None:
    """By the name of the system, its packages, its compiler, its kernel; None where nothing tells.

    A container has the kernel of its host, and packages of its own.
    """
    if scene.target.os in ("windows", "macos"):
        return None
    return next(_told(scene), None)


def family_or_usual(scene: Scene) -> Family | None:
    """The family; Ubuntu's where nothing names the system; None for one that is named and not known here."""
    family = packaging_of(scene)
    return family if family is not None or foreign_name(scene) else "ubuntu"


def foreign_name(scene: Scene) -> str:
    """The name of a system whose packages and their tool are not known here; empty for every other."""
    name = scene.machine.system.name
    if isinstance(name, Unknown) or scene.target.os in ("windows", "macos") or family_of(scene) is not None:
        return ""
    return "" if re.match(r"(?:GNU/)?Linux\b", name, re.IGNORECASE) or not name.strip() else name.strip()


def _told(scene: Scene) -> Iterator[Family]:
    system = scene.machine.system
    if not isinstance(system.name, Unknown):
        yield from _first(_NAMES, system.name)
    yield from _first(_MARKS, " ".join(item.version for item in scene.packages))
    maker = scene.observed("gcc.maker")
    if maker:
        yield from _first(_NAMES, maker.value)
    if not isinstance(system.kernel, Unknown) and not scene.in_container:
        yield from _first(_KERNELS, system.kernel)


def _first(rows: tuple[tuple[Family, str], ...], text: str) -> Iterator[Family]:
    return (family for family, marks in rows if re.search(marks, text, re.IGNORECASE))


def release_of(scene: Scene) -> str:
    """The release of the distribution, `22.04` or `9`; empty where it is unknown."""
    release = scene.machine.system.release
    return "" if isinstance(release, Unknown) else str(release)


def major_of(scene: Scene) -> int | None:
    """The first number of the release."""
    first = release_of(scene).partition(".")[0]
    return int(first) if first.isdecimal() else None


def packaging_of(scene: Scene) -> Family | None:
    """Whose packages are taken here: those of the family, or of Debian where only its folders or lists are
    seen. What an `rpm` came from, nobody can tell by the list alone."""
    family = family_of(scene)
    if family is not None:
        return family
    listed = scene.observed("package.manager")
    if listed and listed.value != "rpm":
        return "debian" if listed.value == "dpkg" else "arch"
    multiarch = any(re.search(r"^(?:/usr)?/lib/\w+-linux-gnu/", item.path) for item in scene.libraries)
    return "debian" if multiarch else None


def uses_apt(scene: Scene) -> bool:
    """Whether the system's packages come through apt."""
    return packaging_of(scene) in ("ubuntu", "debian")


def finish_upgrade(scene: Scene) -> tuple[str, ...]:
    """The commands that bring all packages to one state; those of apt where nothing names the system."""
    family = family_or_usual(scene)
    if family is None:
        return ()
    return {
        "suse": ("sudo zypper verify", "sudo zypper update"),
        "arch": ("sudo pacman -Syu",),
        "ubuntu": _APT_UPGRADE,
        "debian": _APT_UPGRADE,
    }.get(family, ("sudo dnf distro-sync",))


def install_packages(scene: Scene, names: dict[Family, tuple[str, ...]]) -> tuple[str, ...]:
    """The command that installs packages, which each family calls by names of its own.

    None where the family is unknown or has no such package.
    """
    family = packaging_of(scene)
    if family is None or not names.get(family):
        return ()
    return line(scene, [*_rights(scene), *_tool(scene, family, _INSTALL), *names[family]])


def remove_packages(scene: Scene, names: tuple[str, ...]) -> tuple[str, ...]:
    """The command that removes packages of those names; none where the family is unknown."""
    family = packaging_of(scene)
    if family is None or not names:
        return ()
    return line(scene, [*_rights(scene), *_tool(scene, family, _REMOVE), *names])


def _tool(scene: Scene, family: Family, words: dict[Family, tuple[str, ...]]) -> tuple[str, ...]:
    """Releases up to 7 of the family of Red Hat, and Amazon Linux 2, have `yum` alone."""
    oldest = {"rhel": 8, "amazon": 2023}.get(family)
    major = major_of(scene)
    old = oldest is not None and major is not None and major < oldest
    return ("yum", *words[family][1:]) if old else words[family]


def _rights(scene: Scene) -> tuple[str, ...]:
    """Images of containers run as root and have no `sudo`."""
    return () if scene.in_container else ("sudo",)
