"""Every recorded machine is one, names nobody, and is written the way dlsetup writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlsetup.intake.saved import read
from dlsetup.model.codec import encode
from dlsetup.model.redaction import redact

MACHINES = sorted(Path(__file__).parents[1].glob("machines/*/machine.json"))


@pytest.mark.parametrize("path", MACHINES, ids=lambda path: path.parent.name)
def test_a_recorded_machine(path: Path) -> None:
    machine = read(path)
    assert encode(machine, indent=1) + b"\n" == path.read_bytes()
    assert redact(machine, home="/root", user="root", hostname="localhost") == machine


def test_there_are_machines_of_every_kind() -> None:
    names = {path.parent.name.split("-")[0] for path in MACHINES}
    assert {"linux", "windows", "macos", "wsl2", "container"} <= names
