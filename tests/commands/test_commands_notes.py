"""`dlsetup notes` and `dlsetup create notes`, from outside."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dlsetup import cli
from dlsetup.commands.schema import DOCUMENTS
from dlsetup.model import codec

MACHINES = Path(__file__).parents[1] / "machines"
WSL = str(MACHINES / "wsl2-rtx4070" / "machine.json")
OLD = str(MACHINES / "linux-driver535-torch-cu130" / "machine.json")
WINDOWS = str(MACHINES / "windows-native-rtx3060-tf" / "machine.json")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def document(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, codec.schema(DOCUMENTS["notes"]))
    return found


def test_a_note_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["notes", "driver", "--machine", OLD]) == 0
    said = capsys.readouterr().out
    assert said.startswith("The NVIDIA driver\n")
    assert "sudo apt install nvidia-driver-580-open" in said
    assert not list(Path().iterdir())


def test_a_note_as_a_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["notes", "driver", "--machine", OLD, "--json"]) == 0
    told = document(capsys)
    assert told["ok"]
    assert told["note"]["kind"] == "driver"
    assert [step["id"] for step in told["note"]["steps"]][-1] == "restart"


def test_a_note_for_another_kind_of_machine_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["notes", "jetson", "--machine", OLD]) == 1
    assert "this is no Jetson" in capsys.readouterr().out
    assert cli.call(["notes", "driver", "--machine", WSL, "--json"]) == 1
    told = document(capsys)
    assert not told["ok"]
    assert told["refused"]["ask"] == ["dlsetup notes wsl"]


def test_the_kinds_are_listed_for_the_machine(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["notes", "--machine", WSL]) == 0
    assert "✓ wsl: Windows Subsystem for Linux" in capsys.readouterr().out
    assert cli.call(["notes", "--machine", WSL, "--json"]) == 0
    told = {item["kind"]: item["concerns"] for item in document(capsys)["kinds"]}
    assert told == {
        "ascend": False,
        "container-toolkit": True,
        "cuda-toolkit": True,
        "driver": False,
        "jetson": False,
        "multi-gpu": False,
        "rocm": False,
        "wsl": True,
    }


def test_this_machine_is_looked_at(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["notes"]) == 0
    assert "this machine: " in capsys.readouterr().out


def test_a_report_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "issue.md"
    report.write_text(
        "OS: Ubuntu 22.04.4 LTS (x86_64)\n\n```\n        GPU0    GPU1    CPU Affinity    NUMA Affinity\n"
        "GPU0     X      NV12    0-31            0\nGPU1    NV12     X      0-31            0\n```\n"
    )
    assert cli.call(["notes", "multi-gpu", "--from", str(report), "--json"]) == 0
    steps = {step["id"]: step for step in document(capsys)["note"]["steps"]}
    assert steps["topology"]["state"] == "right"
    assert steps["topology"]["title"] == "The GPUs are joined by NVLink"


def test_a_note_is_written_and_never_over_another(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["create", "notes", "wsl", "--machine", WSL]) == 0
    path = tmp_path / "wsl.md"
    assert path.read_text().startswith("# Windows Subsystem for Linux with a GPU\n")
    path.write_text("mine")
    assert cli.call(["create", "notes", "wsl", "--machine", WSL]) == 2
    assert "`wsl.md` is there already" in capsys.readouterr().err
    assert path.read_text() == "mine"
    assert cli.call(["create", "notes", "wsl", "--machine", WSL, "--overwrite"]) == 0
    assert path.read_text().startswith("# Windows")


def test_a_dry_run_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["create", "notes", "driver", "--machine", OLD, "--format", "script", "--dry-run"]
    assert cli.call(words) == 0
    said = capsys.readouterr().out
    assert "would be written to `driver.sh`" in said
    assert "#!/bin/sh" in said
    assert cli.call([*words, "--json"]) == 0
    told = document(capsys)
    assert told["file"] == "driver.sh"
    assert told["text"].startswith("#!/bin/sh\n")
    assert list(tmp_path.iterdir()) == []


def test_the_forms_have_their_endings(tmp_path: Path) -> None:
    for form in ("text", "markdown", "script"):
        assert cli.call(["create", "notes", "driver", "--machine", OLD, "--format", form]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["driver.md", "driver.sh", "driver.txt"]
    assert subprocess.run(["sh", "-n", "driver.sh"]).returncode == 0


def test_a_name_of_a_file_is_only_a_name(tmp_path: Path) -> None:
    name = "a b'\"$(touch owned)ä.md"
    assert cli.call(["notes", "driver", "--machine", OLD, "--format", "markdown", "-o", name]) == 0
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    "words",
    [
        ["notes", "nonsense"],
        ["notes", "driver", "--format", "pdf"],
        ["notes", "driver", "--machine", OLD, "--target", "os=linux"],
        ["notes", "driver", "--from", OLD, "--env", "x"],
        ["notes", "driver", "--target", "os=linux", "--env", "x"],
        ["notes", "driver", "--target", "memory=much"],
        ["notes", "driver", "--machine", OLD, "-o", ""],
        ["notes", "-o", "all.md"],
        ["notes", "wsl", "--machine", WINDOWS, "--format", "script"],
        ["create", "notes"],
        ["create", "notes", "nonsense"],
        ["notes", "driver", "--catalog", "nowhere"],
    ],
)
def test_what_cannot_be_understood_is_said(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.call(words) == 2
    said = capsys.readouterr()
    assert said.err.startswith("✗ ")
    assert "hint" in said.err
    assert "Traceback" not in said.err
    assert cli.call([*words, "--json"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == "dlsetup.notes/1"
    assert not told["ok"]
    assert list(tmp_path.iterdir()) == []


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["notes", "--help"], ["create", "notes", "--help"]):
        assert cli.call(words) == 0
        assert "Examples:" in capsys.readouterr().out


def test_sources_are_told_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["notes", "driver", "--machine", OLD, "-v"]) == 0
    assert "source  Ubuntu Server documentation" in capsys.readouterr().out


def test_a_driver_that_a_report_shows_is_not_said_to_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "smi.txt"
    report.write_text(
        "OS: Ubuntu 22.04.4 LTS (x86_64)\n"
        "| NVIDIA-SMI 550.54.15      Driver Version: 550.54.15      CUDA Version: 12.4     |\n"
        "|   0  NVIDIA GeForce RTX 4090        Off | 00000000:01:00.0 Off |                  Off |\n"
    )
    assert cli.call(["notes", "container-toolkit", "--from", str(report), "--json"]) == 0
    steps = {step["id"]: step for step in document(capsys)["note"]["steps"]}
    assert steps["driver"]["state"] == "right"
