"""The program from outside: help, version, exit codes, one message and one hint, nothing heavy loaded."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dlsetup import __version__, cli
from dlsetup.commands.schema import DOCUMENTS
from dlsetup.model.errors import DataError, StepFailed, ToolMissing
from dlsetup.show import failure

COMMANDS = (
    ["doctor"],
    ["choose"],
    ["explain"],
    ["run"],
    ["verify"],
    ["tune"],
    ["resolve"],
    ["check-lock"],
    ["bundle"],
    ["create", "env"],
    ["create", "files"],
    ["create", "image"],
    ["create", "notes"],
    ["notes"],
    ["fix"],
    ["import"],
    ["catalog", "show"],
    ["catalog", "why"],
    ["why"],
    ["catalog", "refresh"],
    ["catalog", "status"],
    ["catalog", "check"],
    ["profiles", "list"],
    ["profiles", "show"],
    ["profiles", "check"],
    ["schema"],
)


def program(*words: str, **more: object) -> subprocess.CompletedProcess[str]:
    """What the program says in a process of its own."""
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        [sys.executable, "-m", "dlsetup", *words], capture_output=True, text=True, timeout=60, **more
    )


def test_the_version_is_told_at_once() -> None:
    done = program("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"dlsetup {__version__}\n", "")


def test_nothing_heavy_is_loaded_for_the_version() -> None:
    words = (
        "import sys; from dlsetup.cli import call; call(['--version']); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", words], capture_output=True, text=True, timeout=60, check=True
    )
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert "typer" in loaded
    heavy = {
        "docker",
        "rich",
        "psutil",
        "pynvml",
        "requests",
        "pysat",
        "pydantic",
        "msgspec",
        "packaging",
    }
    assert not loaded & heavy


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_explains_itself_with_examples(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.call([*words, "--help"]) == 0
    told = capsys.readouterr().out
    assert "Usage: dlsetup " + " ".join(words) in told
    assert f"dlsetup {' '.join(words)}" in told.partition("Examples:")[2]
    assert all(len(row) <= 100 for row in told.splitlines())


def test_no_words_mean_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call([]) == 0
    assert "Usage: dlsetup" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["nonsense"],
        ["doctor", "--nonsense"],
        ["doctor", "--env"],
        ["create"],
        ["create", "env"],
        ["schema", "nonsense"],
        ["doctor", "one", "two"],
    ],
    ids=" ".join,
)
def test_what_cannot_be_understood_is_told_with_a_hint(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.call(words) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("✗ ")
    assert told.err.count("hint:") == 1
    assert cli.call([words[0], "--json", *words[1:]]) == 2
    told = capsys.readouterr()
    document = json.loads(told.out)
    assert told.err == ""
    assert document["ok"] is False
    assert document["error"]["code"] == "usage"
    assert document["error"]["hint"]


@pytest.mark.parametrize(
    ("error", "code"), [(DataError("x"), 4), (StepFailed("x", hint="y"), 3), (ToolMissing("x"), 5)]
)
def test_each_failure_has_its_exit_code(
    error: Exception, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _raising(error, monkeypatch) == code
    assert capsys.readouterr().err.startswith("✗ x\n")


def test_a_fault_of_our_own_ends_in_a_report_without_the_home_folder(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    assert _raising(ZeroDivisionError("in /home/somebody/secret\x1b[31m"), monkeypatch) == 70
    told = capsys.readouterr().err
    assert "fault of its own" in told
    assert "ZeroDivisionError" in told
    assert "Traceback" in told
    assert __version__ in told
    assert "/home/somebody" not in told
    assert "\x1b" not in told


def test_a_fault_keeps_json_one_document(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _raising(ZeroDivisionError("x"), monkeypatch, "--json") == 70
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "fault"


def test_interruption_is_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert _raising(KeyboardInterrupt(), monkeypatch) == 130
    assert "Traceback" not in capsys.readouterr().err


def test_a_reader_that_goes_away_is_no_fault() -> None:
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {sys.executable} -m dlsetup schema doctor | head -n 1"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stderr == ""
    assert done.stdout == "{\n"


def test_a_real_interruption_ends_the_program(tmp_path: Path) -> None:
    words = (
        "import time, sys; from dlsetup import cli; from dlsetup.commands import schema\n"
        "schema.run = lambda name: (print('here', flush=True), time.sleep(60))\n"
        "sys.exit(cli.call(['schema']))"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout
    assert child.stdout.readline() == "here\n"
    begun = time.monotonic()
    os.kill(child.pid, signal.SIGINT)
    _, told = child.communicate(timeout=30)
    assert child.returncode == 130
    assert time.monotonic() - begun < 10
    assert "Traceback" not in told


@pytest.mark.parametrize(("waits", "ending"), [(True, ""), (False, "taken down\n")])
def test_python_is_not_taken_down_around_threads_that_wait(waits: bool, ending: str) -> None:
    words = (
        "import atexit, sys, threading, time; from dlsetup import cli; from dlsetup.commands import schema\n"
        "atexit.register(print, 'taken down')\n"
        "thread = threading.Thread(target=time.sleep, args=(60,), daemon=True)\n"
        f"schema.run = lambda name: (print('said'), {waits} and thread.start(), 7)[2]\n"
        "sys.argv[1:] = ['schema']\n"
        "cli.main()"
    )
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (7, f"said\n{ending}", "")


def test_the_name_of_a_command_in_documents() -> None:
    assert failure.command_name(["create", "env", "x y", "torch"]) == "create-env"
    assert failure.command_name(["doctor", "--json"]) == "doctor"
    assert failure.command_name(["create", "chaos"]) == "error"
    assert failure.command_name(["--json"]) == "error"
    assert failure.command_name([]) == "error"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_schemas_are_published(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["schema", name]) == 0
    assert json.loads(capsys.readouterr().out)["$defs"]


def _raising(error: BaseException, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """The exit code of a command that ends in this error."""

    def run(*_words: object, **_more: object) -> int:
        raise error

    monkeypatch.setattr("dlsetup.commands.resolve.run", run)
    return cli.call(["resolve", "torch", *words])


def test_every_command_that_speaks_json_has_a_schema() -> None:
    grouped = (f"{group}-{name}" for group, names in failure.GROUPS.items() for name in names)
    named = {*failure.COMMANDS, *failure.SHORT, *grouped}
    assert {failure.SHORT.get(name, name) for name in named} - {"schema"} <= set(DOCUMENTS)
    assert {"-".join(words) for words in COMMANDS} == named
