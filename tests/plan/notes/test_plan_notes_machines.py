"""Every kind of note on every recorded machine: for whom it is, and that its steps are whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from note_machines import EXPECTED, FOLDERS, KINDS, MACHINES

from dlsetup.intake.saved import read
from dlsetup.model.machine import Machine
from dlsetup.model.note import Note, NotOfKind
from dlsetup.plan.notes import registry

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
