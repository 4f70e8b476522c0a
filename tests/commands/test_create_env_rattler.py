"""`dlsetup create env` with the embedded solver and installer, on a real channel of tiny packages."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tiny.command import Command
from tiny.conda import make_channel, make_tool

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
WORDS = ("--python", PYTHON, "--yes")


@pytest.fixture(scope="session")
def channel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_channel(tmp_path_factory.mktemp("a channel") / "conda-forge")


@pytest.fixture
def forge(command: Command, channel: Path, tmp_path: Path) -> Iterator[Command]:
    """The command, for which the tiny channel is conda-forge."""
    if sys.platform == "win32":
        pytest.skip("the tiny packages are for POSIX systems")
    command.environ |= {
        "CONDA_CHANNELS": channel.as_uri(),
        "RATTLER_CACHE_DIR": str(tmp_path / "rattler cache"),
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
    }
    yield command


def passport(command: Command) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((command.home / "demo/dlsetup.json").read_text())
    return found


def test_environment_is_solved_installed_and_proved(forge: Command) -> None:
    found = forge.json("demo", "torch>=2.14,<2.15", "torchvision", "--cpu", "--with", "conda", *WORDS)
    assert found["exit"] == 0, found
    environment = found["environment"]
    assert environment["tool"] == passport(forge)["tool"] == "rattler"
    assert [item["framework"] for item in environment["outcomes"] if item["ok"]] == ["torch", "torchvision"]
    assert environment["packages"] == 5
    assert forge.entries() == ["demo"]
    lock = Path(environment["lock"]).read_text()
    assert "@EXPLICIT" in lock
    assert "cpu_generic" in lock
    code = "import torch, sys; print(torch.__version__, sys.prefix)"
    shell = f"{environment['activate']}; python -c '{code}'"
    ran = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, cwd=forge.home)
    assert ran.stdout.split(" ", 1) == ["2.14.1", f"{forge.home / 'demo'}\n"]


def test_refused_release_is_planned_again(forge: Command) -> None:
    """The catalog knows releases of torch that the channel does not have."""
    found = forge.create("demo", "torch>=2.14", "--cpu", "--with", "rattler", *WORDS)
    assert found.returncode == 0, found.stderr
    if "Once more" in found.stdout + found.stderr:
        assert "pytorch-cpu 2.14.1" in found.stdout + found.stderr
    picks = passport(forge)["plan"]["picks"]
    assert [item["version"] for item in picks] == ["2.14.1"]


def test_refusal_says_what_there_is(forge: Command) -> None:
    found = forge.json("demo", "torch>=2.14", "--cpu", "--with", "rattler", "--python", "3.13", "--yes")
    assert found["exit"] == 3
    assert "python" in found["error"]["message"]
    assert PYTHON in found["error"]["message"]
    assert forge.entries() == []
