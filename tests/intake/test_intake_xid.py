"""Xid errors of the kernel's log: which of them are findings."""

from __future__ import annotations

from functools import cache

import pytest

from dlsetup.catalog.messages import knowledge
from dlsetup.commands.pasted import catalog_of_report, ways
from dlsetup.intake.report import Ways, report_of
from dlsetup.judge.registry import judge

LOG = "[ 4021.1] NVRM: Xid (PCI:0000:3b:00): {}, pid=4021, name=python, Ch 00000010\n"
FINDINGS = {
    "79": "gpu-fallen-off-the-bus",
    "48": "gpu-memory-fails",
    "64": "gpu-memory-fails",
    "95": "gpu-memory-fails",
    "119": "gpu-firmware-silent",
    "120": "gpu-firmware-silent",
    "74": "nvlink-errors",
    "13": "",
    "31": "",
    "43": "",
    "45": "",
    "63": "",
    "94": "",
}


@cache
def ready() -> Ways:
    return ways(knowledge())


def ids(text: str) -> list[str]:
    machine = report_of([("dmesg.txt", text.encode())], ready()).machine
    return [item.id for item in judge(machine, catalog_of_report(machine, knowledge(), ())).findings]


@pytest.mark.parametrize("number", FINDINGS)
def test_each_number(number: str) -> None:
    assert ids(LOG.format(number)) == ([FINDINGS[number]] if FINDINGS[number] else [])


def test_the_old_form_and_the_words_without_a_number() -> None:
    assert ids("NVRM: Xid (0000:3b:00): 79, GPU has fallen off the bus.\n") == ["gpu-fallen-off-the-bus"]
    assert ids("NVRM: GPU at PCI:0000:3b:00: GPU has fallen off the bus.\n") == ["gpu-fallen-off-the-bus"]


def test_the_bus_is_the_cause_of_what_follows() -> None:
    assert ids(LOG.format(119) + LOG.format(79))[0] == "gpu-fallen-off-the-bus"
