"""`create image` from outside: the real command and uv, tiny wheels; its files read by who uses them."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tomli
import yaml
from dockerfile_parse import DockerfileParser
from tiny.command import Command
from tiny.index import TinyIndex
from tiny.wheels import TinyWheel
from tiny.world import jax, onnxruntime, torch

A100 = "os=linux,arch=x86_64,glibc=2.35,driver=570.86.10,gpu=A100"
HADOLINT = Path(sys.executable).with_name("hadolint")


@pytest.fixture
def stock(command: Command, tiny_index: TinyIndex) -> Any:
    """Puts tiny wheels on the indexes for exactly what is chosen for a target in the image."""

    def put(*words: str) -> dict[str, Any]:
        image = ("--container", "python:3.12-slim-bookworm", "--python", "3.12")
        document = json.loads(command("resolve", *words, *image, "--json").stdout)
        for pick in document["plan"]["picks"]:
            tiny_index.add(pick["index"], list(_wheels(pick)))
            if pick["index"] != "default":
                command.indexes += ["--index", f"{pick['index']}={tiny_index.address(pick['index'])}"]
        plan: dict[str, Any] = document["plan"]
        return plan

    return put


def _wheels(pick: dict[str, Any]) -> list[TinyWheel]:
    name, _, version = pick["requirement"].partition("==")
    if pick["framework"] == "torch":
        return torch(version, None, "numpy")
    if pick["framework"] == "jax":
        return jax(version)
    return onnxruntime(name.partition("[")[0], version)


def image(command: Command, *words: str) -> subprocess.CompletedProcess[str]:
    return command("create", "image", *words, "--python", "3.12", *command.indexes)


def told(command: Command, *words: str) -> dict[str, Any]:
    found = image(command, *words, "--json")
    document: dict[str, Any] = json.loads(found.stdout)
    return {**document, "exit": found.returncode}


def parsed(folder: Path) -> DockerfileParser:
    return DockerfileParser(path=str(folder), cache_content=True)


def instructions(folder: Path) -> list[str]:
    return [row["instruction"] for row in parsed(folder).structure if row["instruction"] != "COMMENT"]


def test_wheels_that_bring_cuda_need_python_alone(command: Command, stock: Any) -> None:
    stock("torch", "--target", A100)
    document = told(command, "torch", "--target", A100, "--into", "demo")
    assert document["exit"] == 0, document
    folder = command.home / "demo"
    assert sorted(path.name for path in folder.iterdir()) == [".dockerignore", "Dockerfile", "pylock.toml"]
    file = parsed(folder)
    assert file.parent_images == ["python:3.12-slim-bookworm"] * 2
    assert file.is_multistage
    assert file.envs["NVIDIA_REQUIRE_CUDA"] == "driver>=525.60.13"
    assert file.labels["dlsetup.target"] == "os=linux,arch=x86_64,driver=570.86.10,glibc=2.36,gpu=A100"
    lock = (folder / "pylock.toml").read_bytes()
    assert file.labels["dlsetup.lock"] == f"sha256:{hashlib.sha256(lock).hexdigest()}"
    assert "glibc=2.36" in tomli.loads(lock.decode())["tool"]["dlsetup"]["targets"][0]["words"]
    assert (folder / ".dockerignore").read_text() == "*\n!pylock.toml\n"


def test_what_wheels_do_not_bring_is_in_the_base(command: Command, tiny_index: TinyIndex) -> None:
    tiny_index.add("default", onnxruntime("onnxruntime-gpu", "1.18.1"))
    document = told(command, "onnxruntime==1.18.1", "--target", A100, "--into", "old")
    assert document["exit"] == 0, document
    assert document["base"]["image"] == "nvidia/cuda:11.8.0-cudnn8-runtime-ubuntu22.04"
    text = (command.home / "old" / "Dockerfile").read_text()
    assert "uv venv --python 3.12 --managed-python" in text
    # A file that is made for Ubuntu 22.04 is locked for its C library, not for that of the Python images.
    assert "glibc=2.35" in text


def test_a_lock_gives_the_same_image_as_its_plan(command: Command, stock: Any) -> None:
    stock("torch", "--target", A100)
    assert told(command, "torch", "--target", A100, "--into", "plan", "--tag", "x")["exit"] == 0
    again = command(
        *("create", "image", "--lock", "plan/pylock.toml", "--target", A100, "--into", "lock", "--tag", "x")
    )
    assert again.returncode == 0, again.stderr
    for name in ("Dockerfile", "pylock.toml", ".dockerignore"):
        assert (command.home / "plan" / name).read_bytes() == (command.home / "lock" / name).read_bytes()


def test_a_lock_that_does_not_serve_the_host_is_refused(command: Command, stock: Any) -> None:
    stock("torch", "--target", A100)
    assert told(command, "torch", "--target", A100, "--into", "plan")["exit"] == 0
    old = A100.replace("570.86.10", "470.57.02")
    words = ("--lock", "plan/pylock.toml", "--target", old, "--into", "lock", "--json")
    found = command("create", "image", *words)
    document = json.loads(found.stdout)
    assert (found.returncode, document["ok"]) == (1, False)
    assert [item["id"] for item in document["findings"] if item["severity"] == "error"] == ["lock-driver"]
    assert not (command.home / "lock").exists()


def test_nothing_is_replaced_unasked(command: Command, stock: Any) -> None:
    stock("jax", "--cpu")
    folder = command.home / "demo"
    folder.mkdir()
    (folder / "Dockerfile").write_text("FROM mine\n")
    refused = image(command, "jax", "--cpu", "--into", "demo")
    assert refused.returncode == 2
    assert "`demo/Dockerfile` is there" in refused.stderr
    assert [path.name for path in folder.iterdir()] == ["Dockerfile"]
    assert image(command, "jax", "--cpu", "--into", "demo", "--force").returncode == 0
    assert "FROM mine" not in (folder / "Dockerfile").read_text()
    again = told(command, "jax", "--cpu", "--into", "demo")
    assert {file["state"] for file in again["written"]} == {"same"}


def test_a_dry_run_shows_the_files_and_writes_none(command: Command, stock: Any) -> None:
    stock("jax", "--cpu")
    document = told(command, "jax", "--cpu", "--into", "demo", "--dry-run", "--also", "compose")
    assert [Path(file["path"]).name for file in document["written"]] == [
        "Dockerfile",
        ".dockerignore",
        "pylock.toml",
        "compose.yaml",
    ]
    assert document["written"][0]["text"].startswith("# Made by dlsetup.\n")
    assert command.entries() == []


@pytest.mark.parametrize("purpose", ["train", "serve", "dev"])
def test_a_server_is_in_the_image_only_where_it_serves(command: Command, stock: Any, purpose: str) -> None:
    stock("onnxruntime", "--cpu")
    document = told(command, "onnxruntime", "--cpu", "--for", purpose, "--into", "demo", "--also", "all")
    assert document["exit"] == 0, document
    folder = command.home / "demo"
    serves = purpose == "serve"
    assert (folder / "serve.py").exists() == (folder / "model.py").exists() == serves
    assert ("EXPOSE" in instructions(folder)) == serves
    assert ('"bash"' in (folder / "Dockerfile").read_text()) == (purpose == "dev")
    compose = yaml.safe_load((folder / "compose.yaml").read_text())["services"][purpose]
    assert ("ports" in compose, "shm_size" in compose) == (serves, not serves)


def test_tensorflow_is_served_by_its_own_image(command: Command) -> None:
    document = told(command, "tensorflow", "--for", "serve", "--target", A100, "--into", "gpu")
    assert document["exit"] == 0, document
    assert re.fullmatch(r"tensorflow/serving:2\.\d+\.\d+-gpu", document["base"]["image"])
    plain = told(command, "tensorflow<2.16", "--for", "serve", "--cpu", "--into", "cpu")
    assert plain["base"]["image"] == "tensorflow/serving:2.15.1"
    assert "pip" not in (command.home / "cpu" / "Dockerfile").read_text()


def test_words_that_make_no_sense_are_refused(command: Command) -> None:
    for words in (
        ("jax", "--for", "fun"),
        ("jax", "--also", "yacht"),
        ("jax", "--tag", "Not A Name"),
        ("jax", "--base", "a\nRUN x"),
        ("jax", "--lock", "pylock.toml"),
        ("--lock", "not-there.toml"),
        ("jax", "--for", "serve", "--cpu", "--offline"),
        (),
    ):
        found = command("create", "image", *words)
        assert found.returncode in (2, 3), (words, found)
        assert "Traceback" not in found.stderr
        assert "hint:" in found.stderr, (words, found)
    assert command.entries() == []


IMAGES = (
    ("torch", "--target", A100),
    ("torch", "--target", A100, "--for", "dev"),
    ("jax", "--cpu"),
    ("jax", "--cpu", "--plain"),
    ("onnxruntime", "--cpu", "--for", "serve"),
    ("tensorflow", "--for", "serve", "--target", A100),
    ("jax", "--cpu", "--base", "ubuntu:24.04"),
    ("jax", "--cpu", "--base", "nvidia/cuda:12.6.3-base-ubuntu24.04"),
)


@pytest.fixture
def made(command: Command, stock: Any, request: pytest.FixtureRequest) -> Path:
    words = request.param
    if words[0] != "tensorflow":
        stock(*(word for word in words[:3] if word not in ("--for", "--plain", "--base")))
    found = image(command, *words, "--into", 'it\'s "made"', "--tag", "lab/demo:1", "--also", "all")
    assert found.returncode == 0, found.stderr
    return command.home / 'it\'s "made"'


@pytest.mark.parametrize("made", IMAGES, indirect=True)
def test_every_file_is_what_its_reader_expects(made: Path) -> None:
    _hadolint(made)
    _compose(made)
    _kubernetes(made)
    container = json.loads((made / ".devcontainer" / "devcontainer.json").read_text())
    assert container["build"] == {"dockerfile": "../Dockerfile", "context": ".."}
    assert container["remoteUser"] == "user"


def _hadolint(folder: Path) -> None:
    if not HADOLINT.exists():
        pytest.skip("hadolint is not installed")
    done = subprocess.run([HADOLINT, folder / "Dockerfile"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def _compose(folder: Path) -> None:
    tool = shutil.which("docker-compose")
    if tool is None:
        return
    words = [tool, "-f", folder / "compose.yaml", "config"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    service = next(iter(yaml.safe_load(done.stdout)["services"].values()))
    assert service["image"] == "lab/demo:1"


def _kubernetes(folder: Path) -> None:
    import kubernetes_validate

    pod = yaml.safe_load((folder / "pod.yaml").read_text())
    kubernetes_validate.validate(pod, kubernetes_validate.latest_version(), strict=True)
    container = pod["spec"]["containers"][0]
    on_gpu = "NVIDIA_VISIBLE_DEVICES" in (folder / "Dockerfile").read_text()
    assert ("nvidia.com/gpu" in container.get("resources", {}).get("limits", {})) == on_gpu
    assert pod["spec"]["securityContext"]["runAsNonRoot"] is True


@pytest.mark.parametrize("made", IMAGES, indirect=True)
def test_the_doctor_finds_nothing_wrong_with_it(made: Path, command: Command) -> None:
    for name in (
        "Dockerfile",
        "compose.yaml",
        "pod.yaml",
        "apptainer.def",
        ".devcontainer/devcontainer.json",
        "",
    ):
        found = command("doctor", "--from", str(made / name), "--json")
        document = json.loads(found.stdout)
        assert (found.returncode, document["findings"]) == (0, []), (name, document["findings"])
