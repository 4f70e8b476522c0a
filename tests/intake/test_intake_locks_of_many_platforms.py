"""A lock for several platforms says nothing of the machine that it is read for."""

from __future__ import annotations

from functools import cache

import pytest

from dlsetup.catalog.messages import knowledge
from dlsetup.commands.pasted import catalog_of_report, ways
from dlsetup.intake.report import Ways, report_of
from dlsetup.judge.registry import judge
from dlsetup.model.machine import Machine

SMI = (
    "| NVIDIA-SMI 550.54.14    Driver Version: 550.54.14    CUDA Version: 12.4     |\n"
    "|   0  NVIDIA GeForce RTX 4090        Off |   00000000:01:00.0 Off |                  Off |\n"
)
ROW = "- conda: https://conda.anaconda.org/conda-forge/{}.conda\n"
LINUX, MAC = (
    ROW.format("linux-64/pytorch-2.3.0-cuda120_py311h25b6552_301"),
    ROW.format("osx-arm64/pytorch-2.3.0-cpu_generic_py311h9f0dc8e_1"),
)
CPU = ROW.format("linux-64/pytorch-2.3.0-cpu_generic_py311h9f0dc8e_1")


@cache
def ready() -> Ways:
    return ways(knowledge())


def machine_of(text: str) -> Machine:
    return report_of([("pixi.lock", text.encode())], ready()).machine


@pytest.mark.parametrize(
    ("rows", "expected"), [(LINUX + MAC, []), (LINUX, []), (CPU, ["cpu-only-torch"]), (CPU + LINUX, [])]
)
def test_a_build_of_another_platform_is_not_here(rows: str, expected: list[str]) -> None:
    machine = machine_of(f"{SMI}packages:\n{rows}")
    diagnosis = judge(machine, catalog_of_report(machine, knowledge(), ()))
    assert [item.id for item in diagnosis.findings] == expected


def test_the_processor_is_not_that_of_a_platform_among_others() -> None:
    assert machine_of(f"{SMI}packages:\n{LINUX}{MAC}").system.arch == "x86_64"
    assert machine_of(f"Linux\n{ROW.format('linux-aarch64/numpy-1.26.4-py311h0_0')}").system.arch == "aarch64"
