"""Every case: the faults that block are found, one of them is primary, and nothing else is an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from dlsetup.catalog.load import opened
from dlsetup.catalog.messages import knowledge
from dlsetup.commands.pasted import catalog_of_report, ways
from dlsetup.intake.report import report_of
from dlsetup.judge.registry import judge

HERE = Path(__file__).parent
CASES = sorted(path.parent.name for path in HERE.glob("*/case.yaml"))
CONTRIBUTE = frozenset(
    {
        "cudatoolkit-present-but-unused",
        "dkms-headers-missing",
        "duplicate-torch-installs",
        "mig-one-instance-per-process",
        "misleading-error-message",
        "secure-boot-unsigned-module",
        "unpinned-cuda-variant",
        "unpinned-numpy",
        "unpinned-torch",
        "uv-index-not-published",
    }
)
"""Faults that name why the main one came about: a diagnosis without them is right all the same."""


@pytest.fixture(scope="module")
def place() -> Any:
    return opened(())


@pytest.mark.parametrize("name", CASES)
def test_case(name: str, place: Any) -> None:
    spec = yaml.safe_load((HERE / name / "case.yaml").read_text(encoding="utf-8"))
    expected = set(spec["expected"]["fault_ids"])
    known = knowledge(place)
    texts = [(item["file"], (HERE / name / item["file"]).read_bytes()) for item in spec["inputs"]]
    machine = report_of(texts, ways(known)).machine
    diagnosis = judge(machine, catalog_of_report(machine, known, place))
    found = {item.id for item in diagnosis.findings}
    errors = {item.id for item in diagnosis.findings if item.severity == "error"}
    primary = {item.id for item in diagnosis.findings if item.role == "primary"}
    assert errors <= expected
    assert (expected - CONTRIBUTE or expected) <= found
    assert primary <= expected
    assert bool(primary) == bool(expected)
