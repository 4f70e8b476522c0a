"""Where the answer goes: a full disk, a closed stream, a reader that has gone away."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
ANSWERS = (["doctor", "--machine", "m.json"], ["doctor", "--machine", "m.json", "--json"], ["--version"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "m.json").write_text('{"schema": "dlsetup.machine/1", "gpus": [], "driver": null}')
    return tmp_path


def shell(redirection: str, words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """The program with its streams led elsewhere by a shell."""
    line = f'"$@" {redirection}'
    argv = ["sh", "-c", line, "sh", sys.executable, "-m", "dlsetup", *words]
    return subprocess.run(argv, capture_output=True, text=True, timeout=60, cwd=folder)


@needs_full
@pytest.mark.parametrize("words", ANSWERS)
def test_a_full_disk_is_no_fault_of_the_program(words: list[str], folder: Path) -> None:
    done = shell(">/dev/full", words, folder)
    assert done.returncode == 3
    assert done.stderr.startswith("✗ cannot write the answer: ")
    assert done.stderr.count("\n") == 2


@needs_full
def test_a_failure_that_no_document_can_tell_is_told_in_words(folder: Path) -> None:
    done = shell(">/dev/full", ["doctor", "--env", "nowhere", "--json"], folder)
    assert done.returncode == 2
    assert "`nowhere`" in done.stderr
    assert "Traceback" not in done.stderr


@needs_full
@pytest.mark.parametrize("words", [*ANSWERS, ["doctor", "--nope"]])
def test_where_nothing_can_be_said_the_exit_code_says_it(words: list[str], folder: Path) -> None:
    assert shell(">/dev/full 2>/dev/full", words, folder).returncode == (2 if "--nope" in words else 3)
    assert shell(">&- 2>&-", words, folder).returncode == (2 if "--nope" in words else 0)


@pytest.mark.parametrize("words", ANSWERS)
def test_closed_streams_are_written_to_in_vain(words: list[str], folder: Path) -> None:
    done = shell(">&-", words, folder)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("words", ANSWERS)
def test_a_reader_that_has_gone_away_is_no_finding(words: list[str], folder: Path) -> None:
    """Exit code 1 would say that a finding is an error."""
    process = subprocess.Popen(
        [sys.executable, "-m", "dlsetup", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder
    )
    assert process.stdout
    assert process.stderr
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 141
