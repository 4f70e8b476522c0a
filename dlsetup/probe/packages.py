"""Packages of the operating system that concern GPUs, read from its own database."""

from __future__ import annotations

import re

from dlsetup.model.machine import SystemPackage
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes, printable

CONCERNS = re.compile(
    r"(?:lib)?nvidia-|xserver-xorg-video-nvidia|linux-(?:modules|objects|signatures)-nvidia|kmod-nvidia"
    r"|akmod-nvidia|cuda(?:-|$)|lib(?:cudnn|nccl|nvinfer|cublas)|datacenter-gpu-manager"
    r"|docker(?:-ce|\.io|-desktop|-engine)|moby-engine|podman|intel-(?:opencl|level-zero)|libze|level-zero"
    r"|rocm|amdgpu|hip-|tensorrt",
    re.IGNORECASE,
)
DATABASE = "/var/lib/dpkg/status"
DATABASE_LIMIT = 64 << 20
PACMAN = "/var/lib/pacman/local"
RPM_DEADLINE = 4.0


def packages(host: Host, notes: Notes) -> tuple[SystemPackage, ...] | Unknown:
    """Installed (or half removed) packages; unknown where neither dpkg, pacman nor rpm keeps a list."""
    if not host.platform.startswith("linux"):
        return UNKNOWN
    text = host.read(DATABASE, DATABASE_LIMIT)
    if text:
        return _from_dpkg(text)
    if host.is_folder(PACMAN):
        return _from_pacman(host.names(PACMAN))
    program = host.which("rpm")
    if program:
        return _from_rpm(host, notes, program)
    notes.gap("packages", "neither dpkg, pacman nor rpm keeps a list of packages here")
    return UNKNOWN


def _from_dpkg(text: str) -> tuple[SystemPackage, ...]:
    """Out of paragraphs such as

    Package: libnvidia-compute-550
    Status: install ok installed
    Version: 550.144.03-0ubuntu0.22.04.1
    """
    found = []
    for start in re.finditer(r"^Package: (.+)$", text, re.MULTILINE):
        if not CONCERNS.match(start[1]):
            continue
        end = text.find("\n\n", start.end())
        paragraph = text[start.end() : end if end >= 0 else len(text)]
        version = re.search(r"^Version: (.+)$", paragraph, re.MULTILINE)
        state = re.search(r"^Status: \S+ \S+ (\S+)$", paragraph, re.MULTILINE)
        if state and state[1] != "not-installed":
            name, number = printable(start[1]), printable(version[1]) if version else ""
            found.append(SystemPackage(name=name, version=number, state=printable(state[1])))
    return tuple(sorted(found, key=lambda item: item.name))


def _from_pacman(folders: list[str]) -> tuple[SystemPackage, ...]:
    """Out of names such as `nvidia-utils-570.133.07-1`: package, version, release."""
    parts = (printable(name).rsplit("-", 2) for name in folders if CONCERNS.match(name))
    return tuple(SystemPackage(name=part[0], version="-".join(part[1:])) for part in parts if len(part) == 3)


def _from_rpm(host: Host, notes: Notes, program: str) -> tuple[SystemPackage, ...] | Unknown:
    form = "%{NAME}\t%{VERSION}-%{RELEASE}\n"
    answer = host.run([program, "-qa", "--queryformat", form], RPM_DEADLINE)
    if not answer.ok:
        notes.gap("packages", answer.reason or "rpm does not answer", "rpm -qa")
        return UNKNOWN
    rows = (line.partition("\t") for line in answer.out.splitlines())
    return tuple(
        sorted(
            (
                SystemPackage(name=printable(name), version=printable(version))
                for name, _, version in rows
                if CONCERNS.match(name)
            ),
            key=lambda item: item.name,
        )
    )
