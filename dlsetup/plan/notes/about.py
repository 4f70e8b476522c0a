"""The machine of a note in one line: what its commands were chosen by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from dlsetup.model.machine import Machine
from dlsetup.model.record import Unknown
from dlsetup.plan.notes.subject import Subject
from dlsetup.rules.gpus import title_of


def about(subject: Subject) -> str:
    """`this machine: Ubuntu 22.04.5 LTS, kernel 5.15.0-126-generic, x86_64, 2 × NVIDIA A100 (sm_80)`."""
    return f"{subject.name}: {', '.join(_parts(subject)) or 'nothing is known of it'}"


def _parts(subject: Subject) -> Iterator[str]:
    machine = subject.scene.machine
    yield from _system(machine)
    if subject.scene.in_wsl:
        yield "inside WSL"
    if isinstance(machine.system.container, str):
        yield f"inside a container ({machine.system.container})"
    if not isinstance(machine.gpus, Unknown):
        titles = Counter(title_of(gpu, subject.scene.catalog.hardware) for gpu in machine.gpus)
        yield from (title if count == 1 else f"{count} × {title}" for title, count in titles.items())
    if subject.scene.driver is not None:
        yield f"NVIDIA driver {subject.scene.driver}"


def _system(machine: Machine) -> Iterator[str]:
    system = machine.system
    if not isinstance(system.name, Unknown):
        yield system.name
    elif not isinstance(system.os, Unknown):
        yield {"linux": "Linux", "windows": "Windows", "macos": "macOS"}[system.os]
    if not isinstance(system.kernel, Unknown) and system.os == "linux":
        yield f"kernel {system.kernel}"
    if not isinstance(system.arch, Unknown):
        yield system.arch
