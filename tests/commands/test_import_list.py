"""`dlsetup import`: old lists and pasted commands, as they are written today."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tomli
import yaml

A100 = 'os=linux,arch=x86_64,glibc=2.35,driver=550.54.15,gpu="A100"'
BARE = "os=linux,arch=x86_64,glibc=2.35,gpu=none"
ROOT = Path(__file__).parents[2]
CLASSIC = """\
name: classic  # ours
channels:
  - pytorch
  - nvidia
  - defaults
  - our-lab
dependencies:
  # the language
  - python=3.8
  - pytorch=1.10.0
  - torchvision=0.11.1
  - torchtext
  - cudatoolkit=11.3
  - numpy=1.21.2=py38h20f2e39_0  # arrays
  - horovod
  - opencv
  - pip
  - pip:
    - tensorboard==2.8.0
    - -f https://download.pytorch.org/whl/torch_stable.html
    - git+https://me:secret@host.example/x/y
prefix: /home/me/envs/classic
"""


def run(*words: str, folder: Path, given: str | None = None) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(folder / "user"), "COLUMNS": "200"}
    argv = [sys.executable, "-m", "dlsetup", "import", *words]
    return subprocess.run(
        argv, cwd=folder, env=environ, capture_output=True, text=True, input=given or "", timeout=60
    )


def found(*words: str, folder: Path, target: str = A100) -> dict[str, Any]:
    ran = run(*words, "--target", target, "--json", folder=folder)
    document: dict[str, Any] = json.loads(ran.stdout)
    assert (ran.returncode == 0) == document["ok"], ran.stderr
    return document


def became(document: dict[str, Any]) -> dict[str, tuple[str, str]]:
    changes = document["modernised"]["changes"]
    return {item["text"]: (item["what"], item.get("became", "")) for item in changes}


def file_of(document: dict[str, Any]) -> dict[str, Any]:
    text: dict[str, Any] = yaml.safe_load(document["modernised"]["text"])
    return text


def test_the_classic_file(tmp_path: Path) -> None:
    (tmp_path / "environment.yml").write_text(CLASSIC)
    document = found("environment.yml", folder=tmp_path)
    lines = became(document)
    # Every entry became something: channels, dependencies, the pip part, `prefix`.
    assert len(document["modernised"]["changes"]) == 4 + 9 + 3 + 1
    assert lines["defaults"][0] == "dropped"
    assert lines["nvidia"] == ("moved", "conda-forge")
    assert lines["our-lab"] == ("kept", "our-lab")
    assert lines["python=3.8"][0] == "newer"
    assert lines["pytorch=1.10.0"][0] == "newer"
    assert lines["cudatoolkit=11.3"] == ("newer", "cuda-version=12")
    assert lines["torchtext"] == ("dropped", "")
    assert lines["horovod"] == ("dropped", "")
    assert lines["opencv"] == ("kept", "opencv")
    assert lines["numpy=1.21.2=py38h20f2e39_0"] == ("newer", "numpy>=1.21.2")
    assert lines["-f https://download.pytorch.org/whl/torch_stable.html"][0] == "dropped"
    assert lines["prefix"][0] == "dropped"
    for item in document["modernised"]["changes"]:
        if item["what"] in ("dropped", "newer", "moved", "unknown"):
            assert item["because"], item
    file = file_of(document)
    assert file["name"] == "classic"
    assert file["channels"] == ["conda-forge", "our-lab", "nodefaults"]
    assert "git+https://me:secret@host.example/x/y" in file["dependencies"][-1]["pip"]
    # What is shown of it holds no password.
    assert all("secret" not in item["text"] for item in document["modernised"]["changes"])


def test_in_place_keeps_comments_and_order(tmp_path: Path) -> None:
    path = tmp_path / "environment.yml"
    path.write_text(CLASSIC)
    wanted = file_of(found("environment.yml", folder=tmp_path))
    dry = run("environment.yml", "--target", A100, "--in-place", "--dry-run", folder=tmp_path)
    assert dry.returncode == 0
    assert path.read_text() == CLASSIC
    assert run("environment.yml", "--target", A100, "--in-place", folder=tmp_path).returncode == 0
    text = path.read_text()
    assert "# the language" in text
    assert "# arrays" in text
    assert "# ours" in text
    file = yaml.safe_load(text)
    assert file["name"] == "classic"
    assert "prefix" not in file
    strings = {item for item in file["dependencies"] if isinstance(item, str)}
    assert strings == {item for item in wanted["dependencies"] if isinstance(item, str)}
    assert file["dependencies"][-1] == wanted["dependencies"][-1]
    assert sorted(file["channels"]) == sorted(wanted["channels"])
    # Once more: nothing is left to do.
    assert run("environment.yml", "--target", A100, "--in-place", folder=tmp_path).returncode == 0
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("command", "specs"),
    [
        (
            "conda install pytorch torchvision cudatoolkit=11.3 -c pytorch",
            ("cuda-version=12", "pytorch-gpu=", "torchvision="),
        ),
        ("$ mamba create -n x -c pytorch -y python=3.9 pytorch cpuonly", ("python=3", "pytorch-cpu=")),
        (
            "conda install pytorch==2.4.1 torchvision==0.19.1 pytorch-cuda=12.1 -c pytorch -c nvidia",
            ("cuda-version=12", "pytorch-gpu=2.4", "torchvision=0.19"),
        ),
        (
            "conda create -n tf tensorflow-gpu=1.14 keras=2.2.4 cudatoolkit=10.2 cudnn",
            ("tensorflow-gpu=2.", "keras=3."),
        ),
        ("conda install -c conda-forge jax jaxlib=*=*cuda*", ("jax=", "jaxlib=*=cuda*")),
        ("micromamba install onnxruntime-gpu", ("onnxruntime=",)),
    ],
)
def test_pasted_commands(command: str, specs: tuple[str, ...], tmp_path: Path) -> None:
    document = found(command, folder=tmp_path)
    file = file_of(document)
    for spec in specs:
        assert any(str(item).startswith(spec) for item in file["dependencies"]), (spec, file)
    assert not {"pytorch", "nvidia", "defaults"}.intersection(file["channels"])


def test_pins_that_still_work_stay(tmp_path: Path) -> None:
    command = "conda install python=3.11 pytorch==2.4.1 torchvision==0.19.1 numpy=1.26.4 -c pytorch"
    document = found(command, folder=tmp_path)
    assert became(document)["python=3.11"] == ("kept", "python=3.11")
    assert became(document)["numpy=1.26.4"] == ("kept", "numpy=1.26.4")
    picks = {item["framework"]: item["version"] for item in document["modernised"]["plan"]["picks"]}
    assert picks == {"torch": "2.4.1", "torchvision": "0.19.1"}


def test_no_gpu_means_no_cuda(tmp_path: Path) -> None:
    command = "conda install pytorch cudatoolkit=11.3 -c pytorch"
    document = found(command, folder=tmp_path, target=BARE)
    assert became(document)["cudatoolkit=11.3"] == ("dropped", "")
    assert any("pytorch-cpu" in item for item in file_of(document)["dependencies"])


def test_requirements_become_requirements_or_conda(tmp_path: Path) -> None:
    text = "torch==1.10.0+cu113\nnumpy==1.21.0  # arrays\n-f https://download.pytorch.org/whl/torch_stable.html\n"
    (tmp_path / "requirements.txt").write_text(text)
    listed = found("requirements.txt", folder=tmp_path)["modernised"]
    assert listed["form"] == "requirements"
    lines = listed["text"].splitlines()
    assert any(line.startswith("--extra-index-url https://download.pytorch.org/whl/cu12") for line in lines)
    assert any(line.startswith("torch==2.") for line in lines)
    assert "numpy>=1.21.0" in lines
    file = file_of(found("requirements.txt", "--to", "conda", folder=tmp_path))
    assert any(str(item).startswith("pytorch-gpu=") for item in file["dependencies"])
    assert file["dependencies"][-1] == {"pip": ["numpy>=1.21.0"]}


def test_driver_that_knows_no_more_than_cuda_11_is_told_of(tmp_path: Path) -> None:
    old = 'os=linux,arch=x86_64,glibc=2.31,driver=470.57.02,gpu="V100"'
    document = found("conda install pytorch -c pytorch", folder=tmp_path, target=old)
    assert any("CUDA 11" in note for note in document["modernised"]["notes"])


def test_output_is_written_once(tmp_path: Path) -> None:
    words = ("conda install pytorch -c pytorch", "--target", A100, "-o", "new.yml")
    assert run(*words, "--dry-run", folder=tmp_path).returncode == 0
    assert not (tmp_path / "new.yml").exists()
    assert run(*words, folder=tmp_path).returncode == 0
    first = (tmp_path / "new.yml").read_text()
    assert "pytorch-gpu" in first
    again = run(*words, folder=tmp_path)
    assert again.returncode == 2
    assert "exists already" in again.stderr
    assert (tmp_path / "new.yml").read_text() == first


def test_from_standard_input(tmp_path: Path) -> None:
    ran = run("-", "--target", A100, folder=tmp_path, given="conda install pytorch -c pytorch\n")
    assert ran.returncode == 0
    assert "pytorch-gpu=" in ran.stdout


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", 2),
        ("dependencies: &a [*a]\n", 4),
        ("dependencies: [pytorch\n", 4),
        ("x: 1\ndependencies: 3\n", 2),
        ("dependencies:\n" + "  - a\n" * 2500, 4),
        ("conda install 'pytorch\n", 4),
        ("nothing-of-ours\n", 2),
        ("\x00\x01\x02", 2),
    ],
)
def test_what_cannot_be_read_is_said(text: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text(text)
    ran = run("list.txt", "--target", A100, folder=tmp_path)
    assert ran.returncode == code, ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr


def test_conflict_is_told(tmp_path: Path) -> None:
    ran = run("conda install mindspore", "--target", "os=windows,arch=x86_64,gpu=none", folder=tmp_path)
    assert ran.returncode in (1, 2)
    assert "Traceback" not in ran.stderr


def test_files_of_ours_say_the_same_again(tmp_path: Path) -> None:
    """Round trip: `resolve -r` of the file gives the plan that it was written for."""
    for command, target in (
        ("conda install pytorch torchvision cudatoolkit=11.3", A100),
        ("conda install pytorch torchvision cpuonly", A100),
        ("conda install tensorflow-gpu keras", A100),
        ("conda install tensorflow-cpu", BARE),
        ("conda install jax", BARE),
        ("conda install jax", A100),
        ("conda install onnxruntime cpuonly", A100),
        ("conda install pytorch", "os=macos,arch=arm64,macos=14.5"),
    ):
        document = found(command, folder=tmp_path, target=target)
        plan = document["modernised"]["plan"]
        (tmp_path / "environment.yml").write_text(document["modernised"]["text"])
        argv = [
            sys.executable,
            "-m",
            "dlsetup",
            "resolve",
            "-r",
            "environment.yml",
            "--target",
            target,
            "--json",
        ]
        ran = subprocess.run(
            argv, cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
        )
        again = json.loads(ran.stdout)
        assert again["ok"], (command, again)
        own = {item["framework"]: (item["version"], item["variant"]) for item in plan["picks"]}
        other = {item["framework"]: (item["version"], item["variant"]) for item in again["plan"]["picks"]}
        assert (own, plan["python"]) == (other, again["plan"]["python"]), command


@pytest.mark.parametrize(("form", "name"), [("uv", "pyproject.toml"), ("pixi", "pixi.toml")])
def test_an_old_list_becomes_a_project(form: str, name: str, tmp_path: Path) -> None:
    """Everything that the list keeps is in it, and it reads back as the same plan."""
    (tmp_path / "old.yml").write_text(CLASSIC)
    document = found("old.yml", "--to", form, "-o", name, folder=tmp_path)
    modern = document["modernised"]
    assert modern["form"] == form
    text = (tmp_path / name).read_text()
    assert text == modern["text"]
    assert "secret" not in text
    project = tomli.loads(text)
    table = project["project" if form == "uv" else "workspace"]
    assert table["name"] == "classic"
    asked = project["project"]["dependencies"] if form == "uv" else project["pypi-dependencies"]
    names = {re.split(r"[^A-Za-z0-9-]", item)[0] for item in asked}
    assert {"torch", "torchvision", "numpy", "tensorboard"} <= names
    assert not {"opencv", "horovod", "cudatoolkit"} & names
    assert became(document)["opencv"][0] == "unknown"
    assert f"`git+https://host.example/x/y` does not go into {name}" in modern["notes"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path / "user")}
    argv = [sys.executable, "-m", "dlsetup", "resolve", "-r", name, "--target", A100, "--json"]
    again = json.loads(subprocess.run(argv, cwd=tmp_path, env=environ, capture_output=True, text=True).stdout)
    picks = [
        [(item["framework"], item["version"]) for item in plan["picks"]]
        for plan in (modern["plan"], again["plan"])
    ]
    assert set(picks[0]) <= set(picks[1])


def test_a_project_is_not_written_over_a_list(tmp_path: Path) -> None:
    (tmp_path / "old.yml").write_text(CLASSIC)
    ran = run("old.yml", "--to", "uv", "--in-place", "--target", A100, folder=tmp_path)
    assert ran.returncode == 2
    assert (tmp_path / "old.yml").read_text() == CLASSIC
