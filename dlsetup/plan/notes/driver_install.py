"""How the NVIDIA driver comes onto a Linux machine: headers, where it comes from, packages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.commands import line
from dlsetup.judge.driver_ways import DOWNLOADS, GUIDE, way_of
from dlsetup.judge.module_loading import headers
from dlsetup.model.note import NoteStep
from dlsetup.model.note_facts import OwnDriver
from dlsetup.plan.notes.driver_branch import branch_for, floors, wants_open
from dlsetup.plan.notes.repositories import repository_steps
from dlsetup.plan.notes.steps import ask, needed, update
from dlsetup.plan.notes.subject import Subject
from dlsetup.rules.gpus import title_of

_COMPUTING = re.compile(r"\b(?:[ABHLVT]\d{1,3}0?0|P100|P4\b|P40|M60|GH200|GB[23]00|L4|L40S?|K80)\b")
"""Data-centre GPUs, whose machines have no screen."""
CHECK = ("nvidia-smi",)
SIGN = "a table with each GPU and the release of the driver"


def install_steps(subject: Subject, why: str) -> Iterator[NoteStep]:
    """Headers of the kernel, the repository, the packages. The restart is a step of its own."""
    yield _headers(subject)
    own = own_driver(subject)
    if own is not None:
        yield _components(subject, own)
        yield _packages(subject, why, own.packages, "Debian's own driver", own.source)
    elif subject.family == "ubuntu":
        yield _of_ubuntu(subject, why)
    else:
        yield from _of_others(subject, why)


def own_driver(subject: Subject) -> OwnDriver | None:
    """The branch that Debian itself has, where it is new enough for the GPUs and for what is installed."""
    rows = (row for row in subject.facts.own_drivers if row.family == subject.family)
    row = next((row for row in rows if row.release == subject.release), None)
    best = branch_for(subject)
    if row is None or best is None or not subject.capabilities:
        return None
    floor = max((release.major for _, _, release, _ in floors(subject)), default=0)
    needs = max((_first(subject), floor))
    return row if needs <= row.branch <= max(best.branch, needs) else None


def _first(subject: Subject) -> int:
    from dlsetup.plan.notes.driver_branch import first_branch

    return max((first_branch(item, subject) for item in subject.capabilities), default=0)


def _headers(subject: Subject) -> NoteStep:
    kernel = subject.kernel or "the running kernel"
    return needed(
        "kernel-headers",
        f"Install the headers of {kernel}",
        "The module is built for exactly this kernel; without its headers DKMS builds none.",
        (*update(subject.scene), *headers(subject.scene)),
        check=('ls -d "/lib/modules/$(uname -r)/build"',),
        sign="the folder of the running kernel",
        sources=subject.sources("dkms"),
    )


def _components(subject: Subject, own: OwnDriver) -> NoteStep:
    parts = " ".join(own.components)
    return needed(
        "debian-components",
        f"Switch on the parts `{parts}` of Debian's archive",
        "Debian keeps the driver of NVIDIA outside of `main`.",
        (
            "sudo apt install software-properties-common",
            *(f"sudo apt-add-repository --component {part}" for part in own.components),
            "sudo apt update",
        ),
        check=("apt-cache policy nvidia-driver",),
        sign=f"a candidate of branch {own.branch}",
        undo=tuple(f"sudo apt-add-repository --remove --component {part}" for part in own.components),
        sources=subject.sources(own.source),
    )


def _packages(subject: Subject, why: str, packages: tuple[str, ...], what: str, source: str) -> NoteStep:
    tool = {"suse": ("zypper", "install"), "arch": ("pacman", "-S")}.get(subject.family or "")
    words = tool or (("apt", "install") if subject.family in ("ubuntu", "debian") else ("dnf", "install"))
    remove = ("zypper", "remove") if subject.family == "suse" else (words[0], "remove")
    return needed(
        "driver",
        f"Install {what}",
        why,
        line(subject.scene, ["sudo", *words, *packages]),
        check=CHECK,
        sign=SIGN,
        later=True,
        undo=line(subject.scene, ["sudo", *remove, *packages]),
        sources=subject.sources(source),
    )


def _of_ubuntu(subject: Subject, why: str) -> NoteStep:
    """The tool of Ubuntu where it may choose, packages of a branch where it has to be that one."""
    best, opened = branch_for(subject), wants_open(subject)
    computing = any(
        _COMPUTING.search(title_of(gpu, subject.scene.catalog.hardware)) for gpu in subject.nvidia
    )
    modules = "open" if opened else "proprietary"
    use = "server" if computing else "desktop"
    row = next(
        (
            row
            for row in subject.facts.driver_packages
            if (row.family, row.use, row.modules) == ("ubuntu", use, modules)
        ),
        None,
    )
    if row is None or best is None or opened is None:
        way = way_of(subject.scene)
        commands = tuple(text for text in way.commands if text != "sudo reboot")
        tool = ("sudo apt install ubuntu-drivers-common", "ubuntu-drivers list")
        return needed(
            "driver",
            "Let Ubuntu choose and install the driver",
            why,
            (*tool, *commands),
            check=CHECK,
            sign=SIGN,
            later=True,
            undo=("sudo apt purge 'nvidia-driver-*'",),
            sources=subject.sources("ubuntu-nvidia-server"),
        )
    packages = tuple(item.replace("{branch}", str(best.branch)) for item in row.packages)
    kept = f"until {best.ends}" if isinstance(best.ends, str) else ""
    what = (
        f"the driver of branch {best.branch} ({modules} kernel modules{f', mended {kept}' if kept else ''})"
    )
    return _packages(subject, why, packages, what, row.source)


def _of_others(subject: Subject, why: str) -> Iterator[NoteStep]:
    way = way_of(subject.scene)
    commands = tuple(text for text in way.commands if text != "sudo reboot")
    if not commands:
        yield ask(
            "driver",
            f"Install the driver{way.where}",
            f"{why} Which packages this system has of it is not known to the catalog.",
            ("cat /etc/os-release", "lspci -nn | grep -i nvidia"),
            sources=(GUIDE, DOWNLOADS),
        )
        return
    yield from _sources(subject, commands)
    yield needed(
        "driver",
        f"Install the driver{way.where}",
        why,
        commands,
        check=CHECK,
        sign=SIGN,
        later=True,
        undo=_removal(subject, commands),
        sources=(GUIDE,),
    )


def _sources(subject: Subject, commands: tuple[str, ...]) -> Iterator[NoteStep]:
    """RPM Fusion for Fedora, NVIDIA's repository for others; Arch has the driver in its own."""
    if subject.family == "arch":
        return
    if subject.family == "fedora" and "akmod-nvidia" in commands[0]:
        if subject.package("akmod-nvidia") is None:
            yield _rpm_fusion(subject)
        return
    if subject.family == "rhel" and subject.release:
        address = subject.bound("epel").replace("{release}", subject.release)
        yield needed(
            "epel",
            "Make EPEL known",
            "DKMS, which builds the module for each kernel, comes from there.",
            (f"sudo dnf install {address}",),
            check=("dnf info dkms",),
            sign="a package `dkms`",
            undo=("sudo dnf remove epel-release",),
            sources=subject.sources("epel"),
        )
    yield from repository_steps(subject, "The driver")


def _rpm_fusion(subject: Subject) -> NoteStep:
    release = subject.release or '"$(rpm -E %fedora)"'
    addresses = (
        subject.bound(name).replace("{release}", release) for name in ("rpmfusion-free", "rpmfusion-nonfree")
    )
    return needed(
        "rpmfusion",
        "Make RPM Fusion known",
        "Fedora itself has no driver of NVIDIA; RPM Fusion builds it for each kernel through akmods.",
        (f"sudo dnf install {' '.join(addresses)}",),
        check=("dnf repolist",),
        sign="`rpmfusion-nonfree`",
        undo=("sudo dnf remove rpmfusion-free-release rpmfusion-nonfree-release",),
        sources=subject.sources("rpmfusion"),
    )


def _removal(subject: Subject, commands: tuple[str, ...]) -> tuple[str, ...]:
    """The packages that the last installing command names, taken off again."""
    installing = next((text for text in reversed(commands) if " install " in text), "")
    names = installing.partition(" install ")[2]
    tool = installing.split()[1] if names else ""
    return (f"sudo {tool} remove {names}",) if names else ()
