"""Files and preferences from outside: `dlsetup resolve -r …`, `--prefer …`, on the shipped catalog."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from packaging.version import Version

from dlsetup import cli
from dlsetup.commands.schema import DOCUMENTS
from dlsetup.model import codec

LINUX = 'os=linux,arch=x86_64,glibc=2.35,driver=580.65.06,gpu="RTX 4090"'
MACHINES = Path(__file__).parent.parent / "machines"


def document(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    target = () if "--machine" in words else ("--target", LINUX)
    assert cli.call(["resolve", *words, *target, "--json"]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    Draft202012Validator(codec.schema(DOCUMENTS["resolve"])).validate(found)
    return found


def picks(found: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {pick["framework"]: (pick["version"], pick["variant"]) for pick in found["plan"]["picks"]}


def test_a_file_of_requirements(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "requirements.txt"
    path.write_text(
        "--extra-index-url https://download.pytorch.org/whl/cu126\n"
        "torch>=2.9\njax[cuda12]\nnumpy<2.3\nnvidia-cudnn-cu12==9.1.0.70\n"
    )
    found = document(capsys, "-r", str(path))
    assert picks(found)["torch"][1] == "cu126"
    assert picks(found)["jax"][1] == "cu12"
    assert "numpy<2.3" in found["plan"]["requirements"]
    (file,) = found["files"]
    assert [said["text"] for said in file["frameworks"]] == ["torch>=2.9", "jax[cuda12]"]
    assert [said["text"] for said in file["packages"]] == ["numpy<2.3"]
    assert file["left"][0]["text"] == "nvidia-cudnn-cu12==9.1.0.70"
    assert cli.call(["resolve", "-r", str(path), "--target", LINUX]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "kept for the installer: numpy<2.3" in told
    assert "it comes with the build of the framework" in told


def test_words_count_more_than_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "requirements.txt"
    path.write_text("torch==2.9.1\njax\n")
    found = document(capsys, "torch==2.14.1", "-r", str(path))
    assert picks(found)["torch"][0] == "2.14.1"
    assert set(picks(found)) == {"torch", "jax"}


def test_a_project_with_an_extra_and_its_index(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(
        '[project]\nname = "x"\nrequires-python = ">=3.12"\ndependencies = ["torch"]\n'
        '[project.optional-dependencies]\ntrain = ["lightning"]\n'
        '[tool.uv.sources]\ntorch = { index = "mine" }\n'
        '[[tool.uv.index]]\nname = "mine"\nurl = "https://download.pytorch.org/whl/cpu"\nexplicit = true\n'
    )
    found = document(capsys, "-r", str(path), "--extra", "train")
    assert picks(found)["torch"][1] == "cpu"
    assert "lightning" in picks(found)
    assert Version(found["plan"]["python"]) >= Version("3.12")


def test_an_environment_of_conda_says_python_and_cuda(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "environment.yml"
    path.write_text("dependencies:\n- python=3.11\n- pytorch=2.9\n- pytorch-cuda=12.6\n- ffmpeg\n")
    found = document(capsys, "-r", str(path))
    assert picks(found) == {"torch": ("2.9.1", "cu126")}
    assert found["plan"]["python"] == "3.11"
    assert found["files"][0]["notes"] == ["Python ==3.11.*", "CUDA 12.6"]


def test_keep_leaves_what_is_pinned_and_moves_what_must(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "requirements.txt"
    path.write_text("torch==2.9.1\ntorchvision==0.24.1\njax==0.8.0\n")
    found = document(capsys, "-r", str(path), "--prefer", "keep")
    assert picks(found) == {
        "torch": ("2.9.1", "cu128"),
        "torchvision": ("0.24.1", "cu128"),
        "jax": ("0.8.0", "cu12"),
    }
    found = document(capsys, "torch>=2.14", "-r", str(path), "--prefer", "keep")
    assert picks(found)["jax"][0] == "0.8.0"
    assert picks(found)["torch"][0] == "2.14.0"


def test_keep_starts_from_the_environment_of_a_saved_machine(capsys: pytest.CaptureFixture[str]) -> None:
    machine = str(MACHINES / "linux-driver535-torch-cu130" / "machine.json")
    found = document(capsys, "--machine", machine, "--prefer", "keep")
    assert picks(found)["torch"] == ("2.14.1", "cu126")
    assert found["plan"]["python"] == "3.12"
    assert "its cu130 build may not" in found["plan"]["picks"][0]["because"]


def test_a_lock_is_kept_as_far_as_it_can_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pylock.toml"
    path.write_text('lock-version = "1.0"\n[[packages]]\nname = "torch"\nversion = "2.14.1+cu126"\n')
    assert picks(document(capsys, "-r", str(path))) == {"torch": ("2.14.1", "cu126")}
    found = document(capsys, "jax[cuda13]", "-r", str(path), "--prefer", "keep")
    assert picks(found)["torch"] == ("2.14.1", "cu130")


def test_the_preference_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "torch", "--prefer", "stable")
    assert any("out for 30 days or more" in text for text in found["plan"]["preference"])
    newest = document(capsys, "torch")
    assert "the newest release of torch" in newest["plan"]["preference"]
    assert Version(picks(found)["torch"][0]) < Version(picks(newest)["torch"][0])
    assert cli.call(["resolve", "torch", "--target", LINUX]) == 0
    assert "order" in capsys.readouterr().out


def test_ways_out_name_the_file_and_lead_where_they_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "requirements.txt"
    path.write_text("jax>=0.9\nnumpy<2\n")
    found = document(capsys, "-r", str(path), code=1)
    clauses = [clause["text"] for clause in found["conflict"]["core"]]
    assert "numpy<2 is asked for" in clauses
    assert found["conflict"]["ways_out"]
    for way in found["conflict"]["ways_out"]:
        words = shlex.split(way["command"])[1:]
        assert cli.call([*words, "--json"]) == 0
        again = json.loads(capsys.readouterr().out)
        assert [pick["version"] for pick in again["plan"]["picks"]] == [
            pick["version"] for pick in way["plans"][0]["picks"]
        ]


def test_a_distribution_stands_for_its_framework(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "onnxruntime-gpu")
    (pick,) = found["plan"]["picks"]
    assert pick["framework"] == "onnxruntime"
    assert pick["requirement"].startswith("onnxruntime-gpu")


def test_a_file_without_a_framework_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "requirements.txt"
    path.write_text("rich\n")
    assert cli.call(["resolve", "-r", str(path), "--target", LINUX, "--json"]) == 2
    assert "no framework" in json.loads(capsys.readouterr().out)["error"]["message"]


def test_create_env_shows_what_it_takes_from_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "requirements.txt").write_text("jax==0.10.2\nrich\n")
    words = ["create", "env", "demo", "-r", "requirements.txt", "--dry-run", "--target", LINUX, "--json"]
    assert cli.call(words) == 0
    found = json.loads(capsys.readouterr().out)
    Draft202012Validator(codec.schema(DOCUMENTS["create-env"])).validate(found)
    assert found["files"][0]["packages"][0]["text"] == "rich"
    assert "rich" in found["plan"]["requirements"]
    assert not (tmp_path / "demo").exists()
