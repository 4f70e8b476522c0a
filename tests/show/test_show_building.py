"""What is said while something is built."""

from __future__ import annotations

import io

import pytest
from packaging.version import Version

from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.resolution import Pick, Plan
from dlsetup.model.steps import Procedure, Run, Tell, Write
from dlsetup.model.target import Target
from dlsetup.plan.lock import Lock
from dlsetup.show.agreement import agreed, can_ask
from dlsetup.show.building import file_lines, step_line, weight_line


def plan(*sizes: int | Unknown) -> Plan:
    picks = tuple(
        Pick(
            framework=f"f{number}",
            version=Version("1"),
            variant="cpu",
            index="default",
            requirement="f==1",
            size_bytes=size,
        )
        for number, size in enumerate(sizes)
    )
    return Plan(target=Target(), python=Version("3.12"), picks=picks)


@pytest.mark.parametrize(
    ("lock", "sizes", "text"),
    [
        (Lock(packages=1, download_bytes=2048), (), "To fetch: 1 package of 2 KiB, less what is cached."),
        (Lock(packages=3), (), "To fetch: 3 packages of unknown size, less what is cached."),
        (None, (1 << 20, UNKNOWN), "To fetch: 2 frameworks, at least 1.0 MiB, and what they need."),
        (None, (UNKNOWN,), "To fetch: 1 framework, of unknown size, and what they need."),
    ],
)
def test_weight_is_exact_only_where_a_lock_says_it(
    lock: Lock | None, sizes: tuple[int | Unknown, ...], text: str
) -> None:
    assert weight_line(plan(*sizes), lock).text == text


def test_a_step_is_told_by_its_purpose() -> None:
    assert step_line(Run(argv=("a",), why="do it")).text == "do it"
    assert step_line(Tell(text="reboot")).text == "reboot"


def test_files_are_shown_as_they_are_written() -> None:
    steps = (Run(argv=("a",), why=""), Write(path="/x/environment.yml", text="a:\n  - b\n", why=""))
    lines = list(file_lines(Procedure(title="t", steps=steps)))
    assert [line.text for line in lines] == ["environment.yml", "a:", "  - b"]
    assert not any(line.wrap for line in lines[1:])


@pytest.mark.parametrize(
    ("answer", "yes"),
    [("y\n", True), ("YES\n", True), ("n\n", False), ("\n", False), ("", False), ("yep\n", False)],
)
def test_only_yes_is_yes(answer: str, yes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    assert agreed("Really?") is yes
    assert not can_ask()
