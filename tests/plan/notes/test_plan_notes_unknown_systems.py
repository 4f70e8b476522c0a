"""A system whose packages nobody knows here gets no command of another one's package manager."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from dlsetup.intake.noted import machine_in_words
from dlsetup.model.machine import Machine
from dlsetup.model.note import Note, NotOfKind
from dlsetup.plan.notes import registry

Make = Callable[[str, Machine], Note | NotOfKind]
OTHERS = re.compile(
    r"\b(apt|apt-get|apt-mark|apt-cache|dpkg|dnf|yum|rpm|zypper|pacman|update-initramfs|dracut|mkinitcpio)\b"
)
SYSTEMS = {
    "Gentoo": 'distro="Gentoo 2.17",',
    "NixOS": 'distro="NixOS 24.05",',
    "Void": 'distro="Void Linux",',
    "Alpine": 'distro="Alpine Linux 3.20",',
    "unsaid": "",
}
GPUS = (
    'gpu="RTX 4090",driver=none',
    'gpu="H100",gpu="H100",driver=535.54.03',
    "gpu=V100,driver=470.57",
    "gpu=MI300X",
)


def note(of: Make, kind: str, system: str, gpu: str) -> Note | NotOfKind:
    return of(kind, machine_in_words(f"{SYSTEMS[system]}os=linux,arch=x86_64,kernel=6.6.1,{gpu}"))


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("kind", registry.names())
def test_no_command_is_of_another_system(system: str, kind: str, of: Make) -> None:
    for gpu in GPUS:
        found = note(of, kind, system, gpu)
        if isinstance(found, Note):
            told = [text for step in found.steps for text in (*step.commands, *step.check, *step.undo)]
            assert not [text for text in told if OTHERS.search(text)]


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_driver_is_looked_for_where_the_system_has_it(system: str, of: Make) -> None:
    found = note(of, "driver", system, GPUS[0])
    assert isinstance(found, Note)
    steps = {step.id: step for step in found.steps}
    assert steps["driver"].state == "ask"
    assert "among the packages of" in steps["driver"].title
    assert (system in steps["driver"].title) == (system != "unsaid")
    assert "docs.nvidia.com" in steps["driver"].why
    assert (steps["kernel-headers"].commands, steps["kernel-headers"].place) == ((), "screen")
    assert "/var/lib/dkms/mok.pub" in steps["enrol-key"].why


def test_the_same_machine_of_a_known_system_has_its_commands(of: Make) -> None:
    for name, manager in (("Ubuntu 24.04", "apt"), ("Fedora Linux 42", "dnf"), ("Arch Linux", "pacman")):
        found = of("driver", machine_in_words(f'distro="{name}",os=linux,arch=x86_64,{GPUS[0]}'))
        assert isinstance(found, Note)
        told = [text for step in found.steps for text in step.commands]
        assert {match[1] for text in told for match in OTHERS.finditer(text)} >= {manager}
