"""A report that repeats itself costs what it is long, and says where nobody looked any further."""

from __future__ import annotations

import sys
from functools import cache
from types import FrameType

import pytest
from slow_reports import KINDS, slow_report

from dlsetup.catalog.messages import knowledge
from dlsetup.commands.pasted import catalog_of_report, ways
from dlsetup.intake.amount import HALF
from dlsetup.intake.report import Ways, report_of
from dlsetup.judge.registry import judge
from dlsetup.model.machine import Machine

SIZE = 25_000


@cache
def ready() -> Ways:
    return ways(knowledge())


def read(text: str) -> Machine:
    return report_of([("paste.txt", text.encode())], ready()).machine


def calls(text: str) -> int:
    """How many functions are called until all is said: work that no other load of the machine changes."""
    count = 0

    def counted(_frame: FrameType, event: str, _what: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        machine = read(text)
        judge(machine, catalog_of_report(machine, knowledge(), ()))
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("kind", KINDS)
def test_twice_the_lines_are_about_twice_the_work(kind: str) -> None:
    calls(slow_report(kind, SIZE))  # What is loaded once in a process is no work of the report.
    once, twice = calls(slow_report(kind, SIZE)), calls(slow_report(kind, 2 * SIZE))
    assert twice < 2.7 * once


def test_what_lies_beyond_the_bounds_is_named() -> None:
    machine = read("pip install torch==2.1.0\n" * (3 * HALF))
    assert len(machine.report.commands) == 2 * HALF
    assert machine.report.commands[-1].source == f"paste.txt:{3 * HALF}"
    assert "some of the commands" in [gap.fact for gap in machine.gaps]


def test_a_report_within_the_bounds_is_read_whole() -> None:
    machine = read("pip install torch==2.1.0\n" * (2 * HALF))
    assert len(machine.report.commands) == 2 * HALF
    assert machine.gaps == ()


def test_stages_beyond_the_bounds_are_named() -> None:
    machine = read("FROM nvidia/cuda:12.4.1-base-ubuntu22.04\nRUN pip install torch\n" * 61)
    assert len(machine.report.stages) == 60
    assert any("stages of Dockerfiles" in gap.reason for gap in machine.gaps)


def test_images_beyond_the_bounds_are_named() -> None:
    image = "FROM nvidia/cuda:12.4.1-base-ubuntu22.04\n"
    machine = read("".join(f"{image}RUN pip install torch<{number}\n" * 20 for number in range(2, 5)))
    whole = judge(machine, catalog_of_report(machine, knowledge(), ()))
    many = read(image + "".join(f"RUN pip install torch<{number}\n" for number in range(301)))
    some = judge(many, catalog_of_report(many, knowledge(), ()))
    said = [
        [gap for gap in known.unknown if "is looked at in one report" in gap.reason]
        for known in (whole, some)
    ]
    assert [len(gaps) for gaps in said] == [0, 1]
