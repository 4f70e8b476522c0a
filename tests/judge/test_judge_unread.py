"""A report of which nothing was read does not pass for a healthy machine."""

from __future__ import annotations

from dlsetup.judge.registry import judge
from dlsetup.model.framework import Catalog
from dlsetup.model.machine import Machine, System, Variable
from dlsetup.model.report import Report


def test_nothing_read_is_said() -> None:
    machine = Machine(system=System(os="linux"), report=Report(lines=3))
    diagnosis = judge(machine, Catalog())
    assert diagnosis.findings == ()
    assert [gap.fact for gap in diagnosis.unknown] == ["what the report says"]


def test_anything_read_and_any_live_machine_are_left_alone() -> None:
    variables = (Variable(name="CUDA_HOME", value="/usr/local/cuda"),)
    for machine in (Machine(), Machine(report=Report(lines=3), variables=variables)):
        assert "what the report says" not in [gap.fact for gap in judge(machine, Catalog()).unknown]
