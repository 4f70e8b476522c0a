"""A saved machine is found wherever it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlsetup.intake.embedded import saved_machine
from dlsetup.intake.page import Page
from dlsetup.intake.report import Ways, report_of
from dlsetup.intake.saved import read
from dlsetup.model.finding import Diagnosis
from dlsetup.show import json

MACHINE = Path(__file__).parent.parent / "machines" / "linux-driver535-torch-cu130" / "machine.json"
NOTHING = Ways((), ())


@pytest.mark.parametrize(
    "around", ["{}", "Hello\n```json\n{}\n```\nplease help", '{{"schema": "dlsetup.machine/1", broken\n{}']
)
def test_alone_fenced_or_after_a_broken_one(around: str) -> None:
    document = MACHINE.read_text(encoding="utf-8")
    reading = report_of([("paste.md", around.format(document).encode())], NOTHING)
    assert reading.machine == read(MACHINE)
    assert not reading.machine.partial


def test_inside_a_document_of_the_doctor() -> None:
    machine = read(MACHINE)
    document = json.document(json.DoctorDocument.of(machine, Diagnosis()))
    assert saved_machine(Page(document, "x")) == machine


def test_a_mark_alone_is_no_machine() -> None:
    text = '{"schema": "dlsetup.machine/1"' * 50
    assert saved_machine(Page(text, "x")) is None
    assert saved_machine(Page('{"schema": "dlsetup.doctor/1", "machine": ' + "[" * 5000, "x")) is None
