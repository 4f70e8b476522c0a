"""`uname` of Macs, and what follows for wheels."""

from __future__ import annotations

import pytest

from dlsetup.catalog.load import opened
from dlsetup.catalog.messages import knowledge
from dlsetup.commands.pasted import catalog_of_report, ways
from dlsetup.intake.report import report_of
from dlsetup.judge.registry import judge

KERNEL = "Darwin mini.local 22.6.0 Darwin Kernel Version 22.6.0: Fri Sep 15 2023; root:xnu-8796~1/RELEASE_"


@pytest.mark.parametrize(
    ("line", "arch"),
    [
        ("Darwin x86_64", "x86_64"),
        ("Darwin arm64", "aarch64"),
        (f"{KERNEL}X86_64 x86_64", "x86_64"),
        (f"{KERNEL}ARM64_T6000 arm64", "aarch64"),
        (f"{KERNEL}ARM64_T6000 x86_64", "aarch64"),
    ],
)
def test_the_kernel_names_the_processor(line: str, arch: str) -> None:
    machine = report_of([("a.txt", f"$ uname -a\n{line}\n".encode())], ways(knowledge(opened(())))).machine
    assert (machine.system.os, machine.system.arch) == ("macos", arch)


def test_a_mac_with_an_intel_processor_keeps_the_last_torch_for_it() -> None:
    text = (
        "$ uname -sm\nDarwin x86_64\n$ python --version\nPython 3.11.7\n$ pip install torch==2.4.0\n"
        "ERROR: Could not find a version that satisfies the requirement torch==2.4.0 (from versions: 2.2.2)\n"
        "ERROR: No matching distribution found for torch==2.4.0\n"
    )
    place = opened(())
    known = knowledge(place)
    machine = report_of([("a.txt", text.encode())], ways(known)).machine
    finding = judge(machine, catalog_of_report(machine, known, place)).findings[0]
    assert "no wheel for macOS x86_64" in finding.title
    assert any("torch==2.2.2" in command for remedy in finding.remedies for command in remedy.commands)
    assert not any("Python" in remedy.text for remedy in finding.remedies)
