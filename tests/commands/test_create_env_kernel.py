"""`dlsetup create env --kernel`: one kernel, of this environment, or none."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny.command import Command
from tiny.index import TinyIndex
from tiny.wheels import TinyWheel

Stock = Callable[..., dict[str, Any]]
WORDS = ("torch", "--cpu", "--yes")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the folder of the kernels is that of Linux")


@pytest.fixture
def kernels(command: Command, stocked: Stock, tiny_index: TinyIndex) -> Path:
    """Where they are to lie; the index has `ipykernel`."""
    stocked("torch", "--cpu")
    files = {
        "ipykernel/__init__.py": "",
        "ipykernel_launcher.py": "import sys; print(*sys.argv[1:], sys.prefix)\n",
    }
    tiny_index.add("default", [TinyWheel("ipykernel", "7.1.0", files=files)])
    for name in ("XDG_DATA_HOME", "JUPYTER_DATA_DIR", "JUPYTER_PATH"):
        command.environ.pop(name, None)
    return Path(command.environ["HOME"]) / ".local/share/jupyter/kernels"


def test_registers_what_starts_in_the_environment(command: Command, kernels: Path) -> None:
    found = command.json("my demo", *WORDS, "--kernel", "Demo.1")
    assert found["exit"] == 0, found
    assert found["environment"]["kernel"] == str(kernels / "Demo.1")
    about = json.loads((kernels / "Demo.1/kernel.json").read_text())
    assert about["language"] == "python"
    assert about["display_name"].startswith("Demo.1 (Python 3.")
    argv = [word.replace("{connection_file}", "a file") for word in about["argv"]]
    said = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    assert said.strip() == f"-f a file {command.home / 'my demo'}"
    assert "ipykernel==7.1.0" not in found["environment"]["plan"]["requirements"]
    assert "ipykernel" in (command.home / "my demo/dlsetup/pylock.toml").read_text()


def test_dry_run_tells_it_and_its_script_does_it(command: Command, kernels: Path) -> None:
    found = command.json("demo", *WORDS[:2], "--kernel", "demo", "--dry-run")
    assert str(kernels / "demo" / "kernel.json") in [step.get("path") for step in found["procedure"]["steps"]]
    assert not kernels.exists()
    (kernels / "demo").mkdir(parents=True)
    run = subprocess.run(["sh"], input=found["script"], text=True, env=command.environ, capture_output=True)
    assert run.returncode != 0
    assert list((kernels / "demo").iterdir()) == []


@pytest.mark.parametrize("where", ["own", "path"])
def test_kernel_of_somebody_else_is_left(where: str, command: Command, kernels: Path, tmp_path: Path) -> None:
    folder = kernels if where == "own" else tmp_path / "more/kernels"
    (folder / "DEMO").mkdir(parents=True)
    (folder / "DEMO/kernel.json").write_text("theirs")
    found = command.json("demo", *WORDS, "--kernel", "demo", JUPYTER_PATH=str(tmp_path / "more"))
    assert found["exit"] == 2
    assert "DEMO" in found["error"]["message"]
    assert (folder / "DEMO/kernel.json").read_text() == "theirs"
    assert command.entries() == []


@pytest.mark.parametrize(
    "name", ["", "a b", "../x", "python3", "PYTHON3", "a\nb", "$(id)", "..", "é", "x" * 200]
)
def test_names_that_jupyter_does_not_take(name: str, command: Command, kernels: Path) -> None:
    found = command.json("demo", *WORDS, "--kernel", name)
    assert found["exit"] == 2
    assert command.entries() == []
    assert not kernels.exists()


def test_nothing_stays_of_a_build_that_fails(command: Command, kernels: Path) -> None:
    found = command.json("demo", *WORDS, "--kernel", "demo", TINY_TORCH="wrong")
    assert found["exit"] == 3
    assert not kernels.exists()
    assert command.entries() == []


def test_environment_goes_where_its_kernel_cannot_be_written(command: Command, kernels: Path) -> None:
    kernels.parent.mkdir(parents=True)
    kernels.write_text("no folder")
    found = command.json("demo", *WORDS, "--kernel", "demo")
    assert found["exit"] == 3
    assert "kernel" in found["error"]["message"]
    assert command.entries() == []


def test_path_that_jupyter_would_change_is_refused(command: Command, kernels: Path) -> None:
    folder = command.home / "{prefix}"
    folder.mkdir()
    found = command.json(str(folder / "demo"), *WORDS, "--kernel", "demo")
    assert found["exit"] == 2
    assert list(folder.iterdir()) == []


def test_lock_without_ipykernel_is_refused(command: Command, kernels: Path) -> None:
    assert command("resolve", *WORDS[:2], "--lock", "pylock.toml", *command.indexes).returncode == 0
    found = command.json("demo", "--lock", "pylock.toml", "--yes", "--kernel", "demo")
    assert found["exit"] == 2
    assert "ipykernel" in found["error"]["message"]
