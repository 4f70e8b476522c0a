"""How the NVIDIA driver comes onto a Linux machine: headers, where it comes from, packages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.driver_ways import DOWNLOADS, GUIDE, way_of
from dlsetup.judge.linux_families import foreign_name, install_packages, remove_packages
from dlsetup.judge.module_loading import headers
from dlsetup.model.note import NoteStep
from dlsetup.model.note_facts import DriverPackage, OwnDriver
from dlsetup.plan.notes.driver_branch import branch_for, ended, first_branch, floors, wants_open
from dlsetup.plan.notes.repositories import repository_steps
from dlsetup.plan.notes.steps import ask, needed, update
from dlsetup.plan.notes.subject import Subject
from dlsetup.rules.gpus import title_of

_COMPUTING = re.compile(r"\b(?:[ABHLVT]\d{1,3}0?0|P100|P4\b|P40|M60|GH200|GB[23]00|L4|L40S?|K80)\b")
"""Data-centre GPUs, whose machines have no screen."""
_SOURCES = ("/etc/apt/sources.list", "/etc/apt/sources.list.d/debian.sources")
CHECK = ("nvidia-smi",)
SIGN = "a table with each GPU and the release of the driver"


def install_steps(subject: Subject, why: str) -> Iterator[NoteStep]:
    """Headers of the kernel, the repository, the packages. The restart is a step of its own."""
    yield _headers(subject)
    own = own_driver(subject)
    if own is not None:
        yield _components(subject, own)
        yield _packages(subject, why, own.packages, f"Debian's own driver (branch {own.branch})", own.source)
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
    needs = max(floor, *(first_branch(item, subject) for item in subject.capabilities))
    over = ended(row.branch, subject)
    return row if needs <= row.branch <= max(best.branch, needs) and not over else None


def _headers(subject: Subject) -> NoteStep:
    kernel = subject.kernel or "the running kernel"
    why = "The module is built for exactly this kernel; without its headers DKMS builds none."
    if subject.family is None:
        why = f"{why} How {_system(subject)} calls their package is not known to the catalog."
    commands = (*update(subject.scene), *headers(subject.scene), *_following(subject))
    return needed(
        "kernel-headers",
        f"Install the headers of {kernel}",
        why,
        commands if subject.family else (),
        place="here" if subject.family else "screen",
        check=('ls -d "/lib/modules/$(uname -r)/build"',),
        sign="the folder of the running kernel",
        sources=subject.sources("dkms"),
    )


def _following(subject: Subject) -> tuple[str, ...]:
    """The package that brings the headers of each later kernel of Debian too."""
    names = {"x86_64": "linux-headers-amd64", "aarch64": "linux-headers-arm64"}
    name = names.get(str(subject.scene.target.arch))
    return (f"sudo apt install {name}",) if name and subject.family == "debian" else ()


def _components(subject: Subject, own: OwnDriver) -> NoteStep:
    parts = " ".join(own.components)
    change = f"sudo sed -i.before-nvidia -E 's/\\bmain\\b( .*)?$/main {parts}/' \"$file\""
    back = 'sudo mv "$file.before-nvidia" "$file"'
    return needed(
        "debian-components",
        f"Switch on the parts `{parts}` of Debian's archive",
        "Debian keeps the driver of NVIDIA outside of `main`. The files stay beside as `….before-nvidia`.",
        (_each('[ -f "$file" ]', change), "sudo apt update"),
        check=("apt-cache policy nvidia-driver",),
        sign=f"a candidate of branch {own.branch}",
        undo=(_each('[ -f "$file.before-nvidia" ]', back), "sudo apt update"),
        sources=subject.sources(own.source),
    )


def _each(condition: str, command: str) -> str:
    """A command for each of the two files in which Debian's archive may be named."""
    return f"for file in {' '.join(_SOURCES)}; do if {condition}; then {command}; fi; done"


def _packages(subject: Subject, why: str, packages: tuple[str, ...], what: str, source: str) -> NoteStep:
    return needed(
        "driver",
        f"Install {what}",
        why,
        install_packages(subject.scene, {subject.family: packages} if subject.family else {}),
        check=CHECK,
        sign=SIGN,
        after="a restart",
        undo=remove_packages(subject.scene, packages),
        sources=subject.sources(source),
    )


def _of_ubuntu(subject: Subject, why: str) -> NoteStep:
    """The tool of Ubuntu where it may choose, packages of a branch where they are known."""
    best, row = branch_for(subject), _row(subject)
    if row is None or best is None:
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
            after="a restart",
            undo=("sudo apt purge 'nvidia-driver-*'",),
            sources=subject.sources("ubuntu-nvidia-server"),
        )
    kept = f", mended until {best.ends}" if isinstance(best.ends, str) else ""
    what = f"the driver of branch {best.branch} ({row.modules} kernel modules{kept})"
    return _packages(subject, why, planned_packages(subject), what, row.source)


def planned_packages(subject: Subject) -> tuple[str, ...]:
    """What will bring the driver, as far as the names are known."""
    own = own_driver(subject)
    if own is not None:
        return own.packages[:1]
    best, row = branch_for(subject), _row(subject)
    if best is None or row is None:
        return _installed_by(() if subject.family == "ubuntu" else way_of(subject.scene).commands)
    return tuple(item.replace("{branch}", str(best.branch)) for item in row.packages)


def _row(subject: Subject) -> DriverPackage | None:
    """Packages for these GPUs: computing or with a screen, open or proprietary modules."""
    opened = wants_open(subject)
    if opened is None:
        return None
    titles = [title_of(gpu, subject.scene.catalog.hardware) for gpu in subject.nvidia]
    computing = subject.family == "ubuntu" and any(_COMPUTING.search(title) for title in titles)
    use, modules = "server" if computing else "desktop", "open" if opened else "proprietary"
    wanted = (subject.family, use, modules)
    rows = (
        row for row in subject.facts.driver_packages if not row.releases or subject.release in row.releases
    )
    return next((row for row in rows if (row.family, row.use, row.modules) == wanted), None)


def _of_others(subject: Subject, why: str) -> Iterator[NoteStep]:
    way = way_of(subject.scene)
    commands = tuple(text for text in way.commands if text != "sudo reboot")
    named, row = planned_packages(subject), _row(subject)
    if not commands and named and row is not None:
        yield from [] if subject.package("akmod-nvidia") else [_rpm_fusion(subject)]
        yield _packages(subject, why, named, f"the driver{way.where}", row.source)
        return
    if not commands:
        title = f"Look up the driver{way.where}"
        if subject.family is None:
            title = f"Look for the driver among the packages of {_system(subject)}, else in NVIDIA's guide"
            why = f"{why} {GUIDE} says which systems NVIDIA has packages for, {DOWNLOADS} is for all others."
        yield ask(
            "driver",
            title,
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
        after="a restart",
        undo=remove_packages(subject.scene, _installed_by(commands)),
        sources=(GUIDE,),
    )


def _system(subject: Subject) -> str:
    return foreign_name(subject.scene) or "this system"


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


def _installed_by(commands: tuple[str, ...]) -> tuple[str, ...]:
    """The packages that the last installing command names."""
    found = (re.search(r" (?:install|-Syu) (.+)", text) for text in reversed(commands))
    return next((tuple(item[1].split()) for item in found if item), ())
