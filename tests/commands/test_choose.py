"""`dlsetup choose` from outside: what it asks, what it ranks, and that its command works as it is."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tiny.command import Command

from dlsetup import cli
from dlsetup.catalog.choosing import choosing
from dlsetup.cli.choosing import DOMAINS, SKILLS, TASKS
from dlsetup.commands.choose_answers import answers
from dlsetup.commands.schema import DOCUMENTS
from dlsetup.commands.targets import Places
from dlsetup.model import codec
from dlsetup.model.errors import UsageError
from dlsetup.show.choose import ChooseDocument, choose_lines
from dlsetup.show.lines import plain

LINUX = "os=linux,arch=x86_64,glibc=2.35"
GPU = f'{LINUX},driver=550.54.14,gpu="RTX 4090"'
WINDOWS = 'os=windows,arch=x86_64,driver=560.94,gpu="RTX 4090"'
KNOWN = choosing()
NOTHING = "os=linux,arch=riscv64,glibc=2.35"


def told(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert cli.call(["choose", *words]) == code
    return " ".join(capsys.readouterr().out.split())


def document(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    assert cli.call(["choose", *words, "--json"]) == code
    text = capsys.readouterr().out
    found: dict[str, Any] = json.loads(text)
    Draft202012Validator(codec.schema(DOCUMENTS["choose"])).validate(found)
    codec.decode(text, ChooseDocument, where="document")
    assert found["ok"] is (code == 0)
    return found


def test_the_ranking_is_told_with_stars_reasons_and_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, "--task", "teaching", "--target", GPU)
    assert "✓ Lightning for teaching on the target." in text
    assert "PyTorch ★★★★☆ ★★★★★ ★★★★☆ ★★★★★ ★★★★☆" in text
    assert "✓ 1. Lightning: lightning" in text
    assert "because ease of learning: the Trainer is the loop" in text
    assert "declining no release since 0.9.0 of 2023-01-07" in text
    assert "[lightning-docs]" not in text
    assert "--profile teaching" in text


def test_every_star_is_explained_with_its_source(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, "--task", "research", "--target", GPU, "--explain")
    for row in KNOWN.judgements:
        assert f"{row.because} [{row.source}]" in text
    assert text.count("(checked 2026-12-03, certainty ") == len({r.source for r in KNOWN.judgements})


def test_what_does_not_run_is_said_with_the_resolvers_reason(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--task", "production", "--target", WINDOWS)
    places = {item["framework"]: item for item in found["ranking"]["places"]}
    assert places["oneflow"]["fit"]["how"] == "none"
    assert places["oneflow"]["fit"]["because"] == "oneflow 0.9.0 (cu117) has no wheel for Windows x86_64"
    assert places["jax"]["fit"]["conflict"]["core"]
    assert found["ranking"]["overruled"].startswith("production usually begins with TensorFlow, but ")
    assert found["offer"]["framework"] == "torch"


def test_nothing_runs_is_no_offer(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--task", "research", "--target", NOTHING, code=1)
    assert "offer" not in found
    assert {item["fit"]["how"] for item in found["ranking"]["places"]} == {"none"}
    lines = plain(choose_lines(codec.decode(json.dumps(found), ChooseDocument, where="document"), 3))
    assert "✗ None of these frameworks runs on the target." in lines


@pytest.mark.parametrize("target", [GPU, WINDOWS, 'os=linux,arch=x86_64,gpu="MI300X"'])
@pytest.mark.parametrize("words", [("hpc",), ("production", "--domain", "vision", "--know", "torch")])
def test_the_command_for_another_machine_works_as_it_is(
    words: tuple[str, ...],
    target: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    offer = document(capsys, "--task", *words, "--target", target)["offer"]
    program, *said = shlex.split(offer["command"])
    assert program == "dlsetup"
    assert cli.call([*said, "--yes"]) == 0
    assert offer["plan"]["picks"][0]["version"] in (tmp_path / "pyproject.toml").read_text()


def test_the_command_for_this_machine_works_as_it_is(command: Command) -> None:
    (command.home / "teaching").mkdir()
    found = command("choose", "--task", "teaching", "--cpu", "--json")
    assert found.returncode == 0, found.stderr
    offer = json.loads(found.stdout)["offer"]
    assert offer["command"] == "dlsetup create env teaching-2 --profile teaching --cpu"
    _, *said = shlex.split(offer["command"])
    done = command(*said, "--dry-run", "--json")
    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout)["plan"]["picks"] == offer["plan"]["picks"]


def test_domain_and_task_find_the_profile(capsys: pytest.CaptureFixture[str]) -> None:
    for task, domain, profile in (
        ("distributed", "language", "distributed"),
        ("hpc", "scientific", "scientific"),
        ("deployment", "vision", "deployment"),
    ):
        found = document(capsys, "--task", task, "--domain", domain, "--target", GPU)
        assert found["offer"]["profile"] == profile, task


def _on_terminal(
    command: Command, terminal: tuple[int, int], typed: bytes, *words: str
) -> subprocess.CompletedProcess[str]:
    ours, theirs = terminal
    os.write(ours, typed)
    try:
        return subprocess.run(
            command.argv("choose", *words),
            cwd=command.home,
            env=command.environ,
            stdin=theirs,
            capture_output=True,
            text=True,
            timeout=60,
        )
    finally:
        os.close(ours)
        os.close(theirs)


def test_it_asks_on_a_terminal_what_no_option_says(command: Command, terminal: tuple[int, int]) -> None:
    typed = b"nonsense\n4\n\n2, torch\n2\nmoon=full\nname=node," + GPU.encode() + b"\n"
    done = _on_terminal(command, terminal, typed, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["asked"] == {
        "task": "teaching",
        "domain": "",
        "knows": ["numpy", "torch"],
        "target": "node",
    }
    assert "`nonsense` is no answer" in done.stderr
    assert "unknown word in the target: `moon`" in done.stderr
    assert command.entries() == []


def test_what_options_say_is_not_asked(command: Command, terminal: tuple[int, int]) -> None:
    words = ("--domain", "vision", "--know", "keras", "--target", GPU, "--json")
    done = _on_terminal(command, terminal, b"\n", *words)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["asked"]["task"] == "research"
    assert done.stderr.count("?") == 1


def test_whoever_goes_away_gets_nothing(command: Command, terminal: tuple[int, int]) -> None:
    done = _on_terminal(command, terminal, b"\x04")
    assert (done.returncode, done.stdout) == (130, "")
    assert command.entries() == []


def test_an_interruption_leaves_nothing(command: Command, terminal: tuple[int, int]) -> None:
    ours, theirs = terminal
    child = subprocess.Popen(
        command.argv("choose"),
        cwd=command.home,
        env=command.environ,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stderr
    begun = time.monotonic()
    while b"number" not in child.stderr.readline() + child.stderr.peek(1):  # type: ignore[attr-defined]
        assert time.monotonic() - begun < 30
    child.send_signal(signal.SIGINT)
    out, told = child.communicate(timeout=30)
    os.close(ours)
    os.close(theirs)
    assert (child.returncode, out) == (130, b"")
    assert b"Traceback" not in told
    assert command.entries() == []


def test_nobody_to_ask_is_refused_with_an_example(command: Command) -> None:
    done = command("choose")
    assert (done.returncode, done.stdout) == (2, "")
    assert "dlsetup choose --task research" in done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--task", "cooking"), "there is no task `cooking`"),
        (("--task", "edge", "--domain", ""), "there is no domain ``"),
        (("--task", "edge", "--know", "cobol"), "there is no skill `cobol`"),
        (("--task", "edge", "--top", "0"), "no number of places"),
        (("--task", "edge", "--top", "³"), "no number of places"),
        (("--task", "edge", "--target", GPU, "--machine", "x.json"), "several targets"),
        (("--task", "edge", "--cpu", "--cuda", "12"), "both `--cuda` and `--cpu`"),
        (("--task", "edge", "--target", "moon=full"), "unknown word in the target"),
        (("--task", "edge", "--catalog", "gone"), "the catalog folder `gone` is not there"),
    ],
)
def test_what_cannot_be_understood(
    words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.call(["choose", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert says in " ".join(said.err.split())


@given(st.text(max_size=80))
def test_any_text_as_a_name_is_taken_or_refused_with_what_there_is(text: str) -> None:
    rows = (KNOWN.tasks, KNOWN.domains, KNOWN.skills)
    calls = ((text, None, ()), ("research", text, ()), ("research", None, (text,)))
    for words, names in zip(calls, rows, strict=True):
        if text in {row.id for row in names} | ({"anything"} if names is KNOWN.domains else set()):
            answers(*words, Places(), KNOWN)
            continue
        with pytest.raises(UsageError) as caught:
            answers(*words, Places(), KNOWN)
        assert names[0].id in caught.value.hint


def test_the_help_names_what_there_is() -> None:
    for told, rows in ((TASKS, KNOWN.tasks), (DOMAINS, KNOWN.domains), (SKILLS, KNOWN.skills)):
        assert told == ", ".join(row.id for row in rows)
