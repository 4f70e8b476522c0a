"""One at a time on an environment, whoever keeps which journal; a dead process holds nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dlsetup.act.turn import is_left, is_taken, turn
from dlsetup.model.errors import StepFailed

HOLDER = """
import sys
from pathlib import Path
from dlsetup.act.turn import turn
with turn(Path(sys.argv[1]), Path(sys.argv[2]), wait=20):
    print("mine", flush=True)
    sys.stdin.readline()
"""


def holder(state: Path, environment: Path) -> subprocess.Popen[bytes]:
    """Another process that has the turn until it reads a line."""
    argv = [sys.executable, "-c", HOLDER, str(state), str(environment)]
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"mine\n"
    return process


def test_two_state_folders_are_kept_apart_and_nothing_stays(plain: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "one", tmp_path / "two"
    other = holder(first, plain)
    try:
        assert is_taken(second, plain)
        with pytest.raises(StepFailed, match=f"process {other.pid} is at work"), turn(second, plain):
            pytest.fail("somebody else has the turn")
    finally:
        other.communicate(b"\n")
    with turn(second, plain) as waited:
        assert not waited
    assert not is_taken(first, plain)
    assert os.listdir(plain.parent) == [plain.name]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not exchange folders that are in use")
def test_the_turn_is_of_the_name_also_after_an_exchange_and_before_there_is_anything(
    plain: Path, tmp_path: Path
) -> None:
    place = tmp_path / "none yet"
    other = holder(tmp_path / "one", place)
    try:
        plain.rename(place)
        with pytest.raises(StepFailed, match="is at work"), turn(tmp_path / "two", place):
            pytest.fail("somebody else has the turn")
    finally:
        other.communicate(b"\n")


def test_what_a_killed_process_left_holds_nobody_up(plain: Path, tmp_path: Path) -> None:
    other = holder(tmp_path / "one", plain)
    assert not is_left(tmp_path / "one", plain)
    other.kill()
    other.communicate()
    assert not is_taken(tmp_path / "one", plain)
    assert is_left(tmp_path / "one", plain)
    with turn(tmp_path / "two", plain) as waited:
        assert not waited
    assert not is_left(tmp_path / "one", plain)
    assert os.listdir(plain.parent) == [plain.name]


def test_who_waits_begins_anew_when_the_file_is_gone(plain: Path, tmp_path: Path) -> None:
    other = holder(tmp_path / "one", plain)
    heard: list[str] = []

    def hear(text: str) -> None:
        heard.append(text)
        assert other.stdin is not None
        other.stdin.close()

    with turn(tmp_path / "two", plain, wait=20, tell=hear) as waited:
        assert waited
        assert is_taken(tmp_path / "one", plain)
    other.wait()
    assert len(heard) == 1
    assert f"process {other.pid}" in heard[0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_never_two_at_once(plain: Path, tmp_path: Path) -> None:
    """Many that come and go at once: the file that one of them removes misleads none."""
    place = tmp_path / "inside"

    def work(number: int) -> None:
        for _ in range(10):
            with turn(tmp_path / f"state{number}", plain, wait=60):
                place.mkdir()
                time.sleep(0.001)
                place.rmdir()

    children = []
    for number in range(5):
        child = os.fork()
        if child == 0:
            try:
                work(number)
            except BaseException:
                os._exit(1)
            os._exit(0)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * 5
    assert os.listdir(plain.parent) == [plain.name]


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="only a user may be kept from writing"
)
def test_where_nothing_can_be_written_the_state_folder_has_the_file(plain: Path, tmp_path: Path) -> None:
    plain.parent.chmod(0o500)
    try:
        with turn(tmp_path / "one", plain):
            assert is_taken(tmp_path / "one", plain)
            assert len(os.listdir(tmp_path / "one" / "locks")) == 1
    finally:
        plain.parent.chmod(0o700)
