"""Every kind of note on every recorded machine: for whom it is, and that its steps are whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import MACHINES

from dlsetup.intake.saved import read
from dlsetup.model.machine import Machine
from dlsetup.model.note import Note, NotOfKind
from dlsetup.plan.notes import registry

FOLDERS = sorted(path.parent.name for path in MACHINES.glob("*/machine.json"))
NVIDIA = ("cuda-toolkit", "driver", "container-toolkit")
EXPECTED: dict[str, tuple[str, ...]] = {
    "container-h100": ("cuda-toolkit", "multi-gpu"),
    "linux-aarch64-gh200": NVIDIA,
    "linux-aarch64-jetson-orin": ("container-toolkit", "cuda-toolkit", "jetson"),
    "linux-amd-rx7900xtx": ("rocm",),
    "linux-ascend-910b": ("ascend",),
    "linux-cpu-torch-on-gpu": NVIDIA,
    "linux-driver535-torch-cu130": NVIDIA,
    "linux-mig-a100": (*NVIDIA, "multi-gpu"),
    "linux-mismatch-code18": NVIDIA,
    "linux-module-not-loaded": NVIDIA,
    "linux-no-gpu": (),
    "linux-rtx4090-driver535-torch-cu126": NVIDIA,
    "linux-torch-cu130-jax-cuda12": NVIDIA,
    "linux-two-gpus": (*NVIDIA, "multi-gpu"),
    "linux-v100-cu130": (*NVIDIA, "multi-gpu"),
    "macos-arm64-m2": (),
    "windows-native-rtx3060-tf": ("cuda-toolkit", "driver", "wsl"),
    "wsl2-linux-driver-inside": ("container-toolkit", "cuda-toolkit", "wsl"),
    "wsl2-rtx4070": ("container-toolkit", "cuda-toolkit", "wsl"),
}
KINDS = ("ascend", "container-toolkit", "cuda-toolkit", "driver", "jetson", "multi-gpu", "rocm", "wsl")
Make = Callable[[str, Machine], Note | NotOfKind]


def test_the_kinds_are_the_modules() -> None:
    assert registry.names() == KINDS
    assert tuple(kind.name for kind in registry.every_kind()) == KINDS
    assert registry.named("registry") is None
    assert set(EXPECTED) == set(FOLDERS)


@pytest.mark.parametrize("folder", FOLDERS)
def test_each_note_says_whether_it_is_for_the_machine(folder: str, of: Make) -> None:
    machine = read(MACHINES / folder / "machine.json")
    found = {kind: of(kind, machine) for kind in KINDS}
    assert {kind for kind, item in found.items() if isinstance(item, Note)} == set(EXPECTED[folder])
    for item in found.values():
        if isinstance(item, NotOfKind):
            assert item.because
            assert item.ask


@pytest.mark.parametrize(
    ("folder", "kind"), [(folder, kind) for folder in FOLDERS for kind in EXPECTED[folder]]
)
def test_every_step_is_whole(folder: str, kind: str, of: Make) -> None:
    note = of(kind, read(MACHINES / folder / "machine.json"))
    assert isinstance(note, Note)
    names = [step.id for step in note.steps]
    assert len(set(names)) == len(names)
    for step in note.steps:
        assert step.title
        assert not step.title.endswith(".")
        if step.state == "right":
            assert step.evidence or kind in ("wsl", "cuda-toolkit"), step
            assert not step.commands
        elif step.state == "blocked":
            assert step.why
        elif step.state == "ask":
            assert step.why
            assert step.commands
        else:
            assert step.why
            assert step.commands or step.place in ("screen", "windows"), step
            assert step.check or step.sign or step.undo, step
        for text in (*step.commands, *step.check, *step.undo):
            assert text.isprintable()
            assert text == text.strip()


def test_inside_a_container_nobody_has_sudo(of: Make) -> None:
    machine = read(MACHINES / "container-h100" / "machine.json")
    for kind in EXPECTED["container-h100"]:
        note = of(kind, machine)
        assert isinstance(note, Note)
        told = [text for step in note.steps for text in (*step.commands, *step.check, *step.undo)]
        assert not [text for text in told if "sudo" in text]
