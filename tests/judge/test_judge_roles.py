"""One error is the cause; what has nothing to do with it is a remark."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st
from judge_machines import dist, docker, driver, machine, nvidia, wsl
from judge_machines import package as packaged

from dlsetup.judge.roles import ORDER, in_order, matches
from dlsetup.model.finding import Diagnosis, Finding, Severity
from dlsetup.model.machine import Driver, Machine
from dlsetup.model.versions import DriverRelease

NAMES = [pattern.replace("<framework>", "torch") for pattern in ORDER]
SEVERITIES: list[Severity] = ["error", "warning", "note"]


def finding(name: str, severity: Severity) -> Finding:
    return Finding(id=name, severity=severity, title="", because="")


findings = st.lists(st.builds(finding, st.sampled_from(NAMES), st.sampled_from(SEVERITIES)), max_size=8)


@given(findings)
def test_one_finding_is_primary_if_there_is_an_error(given_findings: list[Finding]) -> None:
    roles = [item.role for item in in_order(given_findings)]
    errors = any(item.severity == "error" for item in given_findings)
    assert roles.count("primary") == (1 if errors else 0)
    assert roles == sorted(roles, key=["primary", "contributing", "note"].index)


@given(findings, st.randoms())
def test_the_order_of_the_checks_changes_nothing(given_findings: list[Finding], random) -> None:
    mixed = random.sample(given_findings, len(given_findings))
    assert in_order(mixed) == in_order(given_findings)


@given(findings)
def test_notes_stay_notes(given_findings: list[Finding]) -> None:
    assert all(item.role == "note" for item in in_order(given_findings) if item.severity == "note")


def test_a_pattern_means_every_framework() -> None:
    assert matches("cpu-only-<framework>", "cpu-only-torch")
    assert matches("duplicate-<framework>-installs", "duplicate-jax-installs")
    assert not matches("duplicate-<framework>-installs", "duplicate--installs-")
    assert not matches("cpu-only-<framework>", "cpu-only-")
    assert not matches("no-gpu", "no-gpu-at-all")


def primary(diagnosis: Diagnosis) -> str:
    return next(item.id for item in diagnosis.findings if item.role == "primary")


def test_the_driver_comes_before_what_rests_on_it(judged: Callable[[Machine], Diagnosis]) -> None:
    broken = Driver(module=None, userland=DriverRelease("550.120"), nvml_error="DRIVER_NOT_LOADED")
    diagnosis = judged(machine(dist("torch", "2.14.1+cpu", "cpu"), driver=broken))
    assert primary(diagnosis) == "kernel-module-not-loaded"
    roles = {item.id: item.role for item in diagnosis.findings}
    assert roles["cpu-only-torch"] == "contributing"


def test_a_gpu_cannot_be_renewed_and_a_driver_can(judged: Callable[[Machine], Diagnosis]) -> None:
    volta = (nvidia("Tesla V100-SXM2-16GB", "7.0"),)
    diagnosis = judged(
        machine(dist("torch", "2.14.1", "cu130"), gpus=volta, driver=driver("535.129.03", "12.2"))
    )
    assert primary(diagnosis) == "gpu-arch-not-in-wheel"


def test_a_warning_of_its_own_is_a_remark(judged: Callable[[Machine], Diagnosis]) -> None:
    diagnosis = judged(machine(dist("torch", "2.14.1+cpu", "cpu"), docker=docker()))
    roles = {item.id: item.role for item in diagnosis.findings}
    assert roles == {"cpu-only-torch": "primary", "container-toolkit-missing": "note"}


def test_a_warning_that_belongs_to_the_cause_contributes(judged: Callable[[Machine], Diagnosis]) -> None:
    torch, blocker = (
        dist("torch", "2.5.1", "cpu", installer="conda"),
        dist("cpuonly", "2.0", installer="conda"),
    )
    roles = {item.id: item.role for item in judged(machine(torch, blocker)).findings}
    assert roles == {"cpu-only-torch": "primary", "dependency-forces-cpu": "contributing"}


def test_wsl_comes_first(judged: Callable[[Machine], Diagnosis]) -> None:
    inside = wsl(dist("torch", "2.14.1+cpu", "cpu"), packages=(packaged("libnvidia-compute-535"),))
    assert primary(judged(inside)) == "wsl-linux-driver-shadows-windows-driver"
