"""`dlsetup tune` as a user calls it, in an environment whose torch only takes its time."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tiny.command import Command
from tiny.training import make_environment

from dlsetup.commands.schema import DOCUMENTS
from dlsetup.model import codec


@pytest.fixture
def environment(tmp_path: Path) -> str:
    return str(make_environment(tmp_path / "env"))


def document(found: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    seen: dict[str, Any] = json.loads(found.stdout)
    jsonschema.validate(seen, codec.schema(DOCUMENTS["tune"]))
    return seen


def test_it_measures_and_advises_with_its_numbers(command: Command, environment: str) -> None:
    words = ("tune", "--env", environment, "--seconds", "6", "--batch", "96")
    found = command(*words, "--only", "batch,amp", "--only", "threads", "--json")
    assert found.returncode == 0, found.stderr
    seen = document(found)
    assert [item["name"] for item in seen["measured"]] == ["threads", "batch", "amp"]
    advice = {item["setting"]: item for item in seen["advice"]}
    assert advice["amp"]["value"] == "bfloat16"
    assert advice["amp"]["gain"] > 1.1
    assert "samples/s" in advice["amp"]["because"]
    settings = seen["settings"]
    assert settings["amp"] == "bfloat16"
    assert settings["batch"] * settings["accumulate"] >= 96
    assert "measurements: 3" in found.stderr


def test_the_plan_measures_nothing(command: Command, environment: str) -> None:
    found = command("tune", "--env", environment, "--dry-run")
    assert found.returncode == 0, found.stderr
    assert "torch in" in found.stdout
    assert "batch sizes" in found.stdout
    planned = document(command("tune", "--env", environment, "--dry-run", "--json"))
    assert "workers" in [item["name"] for item in planned["planned"]]
    assert "measured" not in planned or planned["measured"] == []


def test_the_script_has_the_settings_and_their_reasons(command: Command, environment: str) -> None:
    words = ("tune", "--env", environment, "--seconds", "5", "--only", "amp")
    found = command(*words, "--script", "train.py")
    assert found.returncode == 0, found.stderr
    script = (command.home / "train.py").read_text()
    names = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.parse(script).body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
    }
    assert names["AMP"] == "bfloat16"
    assert "# bfloat16 " in script
    assert "`train.py` is a training with these settings" in found.stdout
    printed = command(*words, "--script", "-")
    assert printed.stdout.startswith('"""A minimal training in PyTorch')


def test_a_measurement_that_fails_is_a_failure(command: Command, environment: str) -> None:
    found = command("tune", "--env", environment, "--seconds", "5", "--only", "batch", TINY_END_AT="1")
    assert found.returncode == 1
    assert "batch could not be measured" in found.stdout
    assert "SIGKILL" in found.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--only", "speed"), "`speed` cannot be measured of torch"),
        (("--only", ","), "names nothing"),
        (("--batch", "many"), "`many` is no batch"),
        (("--batch", "0"), "`0` is no batch"),
        (("--seconds", "1"), "no time to measure in"),
        (("--seconds", "nan"), "no time to measure in"),
        (("--data", "nowhere"), "the folder `nowhere` is not there"),
        (("--model", "nowhere.py:network"), "names no function"),
        (("--framework", "jax"), "`jax` is not there"),
        (("--script", "torch.py"), "would hide the module"),
        (("--script", "-", "--json"), "has the script in its document"),
        (("--script", ""), "no file is named"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    command: Command, environment: str, words: tuple[str, ...], said: str
) -> None:
    found = command("tune", "--env", environment, *words)
    assert found.returncode == 2
    assert said in found.stderr + found.stdout


def test_an_environment_without_a_framework(command: Command, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True)
    found = command("tune", "--env", str(tmp_path / "bare"))
    assert found.returncode == 2
    assert "nothing that can be measured is installed" in found.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_interruption_leaves_no_process(command: Command, environment: str) -> None:
    process = subprocess.Popen(
        command.argv("tune", "--env", environment, "--seconds", "300", "--only", "amp"),
        cwd=command.home,
        env=command.environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        until = time.monotonic() + 30
        while not _children(environment) and time.monotonic() < until:
            time.sleep(0.05)
        assert _children(environment)
        process.send_signal(signal.SIGINT)
        assert process.wait(15) == 130
        assert not _children(environment)
    finally:
        process.kill()
        process.wait()


def _children(environment: str) -> list[str]:
    """Processes of that environment's Python that measure."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0].startswith(os.fsencode(environment)) and b"measure" in words:
            found.append(folder.name)
    return found


@pytest.mark.skipif("DLSETUP_TORCH_ENV" not in os.environ, reason="DLSETUP_TORCH_ENV names no environment")
def test_a_real_torch_is_measured_and_trained(command: Command, tmp_path: Path) -> None:
    real = os.environ["DLSETUP_TORCH_ENV"]
    words = ("tune", "--env", real, "--framework", "torch", "--seconds", "20")
    found = command(*words, "--only", "batch,amp,workers", "--script", "train.py", "--json")
    assert found.returncode == 0, found.stderr
    seen = document(found)
    assert {item["name"]: item["verdict"] for item in seen["measured"]} == {
        "batch": "yes",
        "amp": "yes",
        "workers": "yes",
    }
    argv = [f"{real}/bin/python", "train.py", "--steps", "3"]
    ended = subprocess.run(argv, cwd=command.home, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    assert "step 3: loss" in ended.stdout
