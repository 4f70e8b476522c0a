"""The registry: every check is there, documented, and none hides another."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from judge_machines import dist, ids, machine
from msgspec.structs import replace

from dlsetup.catalog.messages import knowledge
from dlsetup.judge import registry
from dlsetup.judge.registry import check, every_check, judge
from dlsetup.judge.roles import EXPLAINS, ORDER
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Finding
from dlsetup.model.framework import Catalog

DOCUMENT = Path(__file__).parents[2] / "docs" / "findings.md"
ROOM = Path(registry.__file__).parent
ROW = re.compile(r"^\| `([a-z0-9<>-]+)` \| ([a-z, ]+) \| .+ \|$", re.MULTILINE)


def patterns(*, told: bool | None = None) -> list[str]:
    """Ids of all checks, with those of the catalog's own faults; or of one kind of check alone."""
    checks = [item for item in every_check() if told is None or (item.told or item.written) is told]
    faults = [] if told is False else [fault.id for fault in knowledge().faults]
    return [pattern for item in checks for pattern in item.ids] + faults


def test_of_the_checks_of_facts_one_answers_for_each_id() -> None:
    assert {name for name, count in Counter(patterns(told=False)).items() if count > 1} == set()


def test_what_programs_say_is_heard_where_no_fact_says_the_same(catalog: Catalog) -> None:
    @check("cpu-only-torch", "cpu-only-jax", told=True)
    def hearsay(scene: Scene) -> list[registry.Answer]:
        found = Finding(id="cpu-only-torch", severity="error", title="somebody says so", because="")
        return [found, replace(found, id="cpu-only-jax")]

    diagnosis = judge(machine(dist("torch", "2.14.1+cpu", "cpu")), catalog, (hearsay, *every_check()))
    assert ids(diagnosis, "error") == ["cpu-only-jax", "cpu-only-torch"]
    assert [item.title for item in diagnosis.findings if item.id == "cpu-only-torch"] != ["somebody says so"]


def test_the_table_of_findings_is_complete() -> None:
    machine, _, lock = DOCUMENT.read_text("utf-8").partition("## Of a lock")
    rows = ROW.findall(machine)
    assert sorted(name for name, _ in rows) == sorted(set(patterns()))
    code = "".join((ROOM / name).read_text("utf-8") for name in ("locked.py", "locked_files.py"))
    of_lock = ROW.findall(lock)
    assert sorted(name for name, _ in of_lock) == sorted(set(re.findall(r'"(lock-[a-z-]+)"', code)))
    for _, severities in (*rows, *of_lock):
        assert set(severities.split(", ")) <= {"error", "warning", "note"}


def test_every_check_says_what_it_looks_for() -> None:
    for item in every_check():
        assert item.about.endswith("."), item.ids


def test_the_order_of_causes_names_only_findings_that_exist() -> None:
    named = {*ORDER, *EXPLAINS, *(pattern for group in EXPLAINS.values() for pattern in group)}
    assert named <= set(patterns())


def test_a_check_that_fails_is_said_and_hides_nothing(
    monkeypatch: pytest.MonkeyPatch, catalog: Catalog
) -> None:
    @check("broken")
    def broken(scene: Scene) -> list[registry.Answer]:
        raise ZeroDivisionError("by nought")

    monkeypatch.setattr(registry, "every_check", lambda: (broken, *every_check()))
    diagnosis = judge(machine(dist("torch", "2.14.1+cpu", "cpu")), catalog)
    assert ids(diagnosis, "error") == ["cpu-only-torch"]
    assert [(gap.fact, gap.reason) for gap in diagnosis.unknown] == [
        ("check broken", "the check failed: ZeroDivisionError: by nought")
    ]
