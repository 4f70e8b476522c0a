"""`dlsetup create env` from outside: the real command, the real uv, tiny wheels."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny.command import Command, has_network, tree
from tiny.index import TinyIndex

Stock = Callable[..., dict[str, Any]]
OLD_DRIVER = 'os=linux,arch=x86_64,glibc=2.35,driver=390.48,gpu="RTX 4090"'


def says(python: Path, code: str) -> str:
    finished = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return finished.stdout.strip()


def test_builds_proves_and_says_how_to_activate(command: Command, stocked: Stock) -> None:
    plan = stocked("torch", "--cpu")
    found = command.create("my demo", "torch", "--cpu", "--yes")
    assert found.returncode == 0, found.stdout + found.stderr
    final = command.home / "my demo"
    assert f"source '{final}/bin/activate'" in found.stdout
    assert "computed on cpu" in found.stdout
    version = plan["picks"][0]["version"]
    assert says(final / "bin/python", "import torch; print(torch.__version__)").startswith(version)
    assert command.entries() == ["my demo"]
    passport = json.loads((final / "dlsetup.json").read_text())
    assert passport["plan"]["picks"][0]["version"] == version
    said = subprocess.run(
        ["bash", "-c", "source 'my demo/bin/activate' && python -c 'import torch' && echo $VIRTUAL_ENV"],
        cwd=command.home,
        capture_output=True,
        text=True,
    )
    assert said.stdout.strip() == str(final)


def test_json_is_one_document(command: Command, stocked: Stock) -> None:
    stocked("jax", "--cpu")
    found = command.json("demo", "jax", "--cpu", "--yes")
    assert found["exit"] == 0, found
    assert found["schema"] == "dlsetup.create-env/1"
    environment = found["environment"]
    assert environment["path"] == str(command.home / "demo")
    assert environment["packages"] == 3
    assert environment["outcomes"][0]["ok"] is True
    assert environment["outcomes"][0]["device"] == "cpu"
    assert Path(environment["lock"]).is_file()


def test_standard_library_and_pip(command: Command, stocked: Stock) -> None:
    stocked("torch", "--cpu")
    found = command.create("demo", "torch", "--cpu", "--yes", "--with", "venv")
    assert found.returncode == 0, found.stdout + found.stderr
    assert (command.home / "demo/bin/python").exists()
    assert "pip" in says(command.home / "demo/bin/python", "import pip; print(pip.__name__)")


def test_dry_run_writes_nothing_and_asks_nobody(command: Command, tiny_index: TinyIndex) -> None:
    before = tree(command.home.parent)
    found = command.create("demo", "torch", "--cpu", "--dry-run")
    assert found.returncode == 0, found.stderr
    assert "pip compile" in found.stdout
    assert tree(command.home.parent) == before
    assert tiny_index.asked == []
    document = command.json("demo", "torch", "--cpu", "--dry-run")
    assert document["script"].startswith("#!/bin/sh\n")
    assert tree(command.home.parent) == before


def test_script_of_a_dry_run_builds_the_environment(command: Command, stocked: Stock) -> None:
    stocked("torch", "--cpu")
    script = command.json("demo", "torch", "--cpu", "--dry-run")["script"]
    subprocess.run(["sh"], input=script, text=True, check=True, env=command.environ, capture_output=True)
    assert says(command.home / "demo/bin/python", "import torch; print('ok')") == "ok"


def test_nothing_fits_is_said_and_the_cpu_build_is_not_taken(command: Command) -> None:
    found = command.json("demo", "torch", "--target", OLD_DRIVER, "--yes")
    assert found["exit"] == 1
    assert found["conflict"]["core"]
    assert command.entries() == []
    text = command.create("demo", "torch", "--target", OLD_DRIVER, "--yes")
    assert text.returncode == 1
    assert "390.48" in text.stdout


def test_gpu_build_for_another_machine_is_kept(command: Command, tiny_index: TinyIndex) -> None:
    """Built where no GPU is, for a machine that has one."""
    from tiny.world import nvidia, torch

    words = ("torch", "--target", 'driver=580.95,gpu="A100"', "--cuda", "12")
    plan = command.json("demo", *words, "--dry-run")["plan"]
    pick = plan["picks"][0]
    version = pick["requirement"].partition("==")[2]
    tiny_index.add(pick["index"], torch(version, "12.6", "nvidia-cudnn-cu12"))
    tiny_index.add("default", [nvidia("nvidia-cudnn-cu12", "9.99", "cudnn", "9")])
    index = f"{pick['index']}={tiny_index.address(pick['index'])}"
    found = command.json("demo", *words, "--yes", "--index", index)
    assert found["exit"] == 0, found
    assert "there is none here" in found["environment"]["outcomes"][0]["because"]


@pytest.mark.parametrize(("mood", "words"), [("wrong", "computed"), ("crash", "SIGKILL")])
def test_environment_that_does_not_work_is_not_kept(
    mood: str, words: str, command: Command, stocked: Stock
) -> None:
    stocked("torch", "--cpu")
    found = command.json("demo", "torch", "--cpu", "--yes", TINY_TORCH=mood)
    assert found["exit"] == 3
    assert words in found["error"]["message"]
    assert command.entries() == []


@pytest.mark.parametrize("fault", ["wrong-hash", "unavailable", "cut"])
def test_failure_while_installing_leaves_nothing(
    fault: str, command: Command, stocked: Stock, tiny_index: TinyIndex
) -> None:
    stocked("torch", "--cpu")
    tiny_index.faults["numpy-"] = fault  # type: ignore[assignment]
    found = command.json("demo", "torch", "--cpu", "--yes")
    assert found["exit"] == 3
    assert found["error"]["hint"]
    assert command.entries() == []


def test_no_network(command: Command, nobody_listens: str) -> None:
    found = command.json(
        "demo", "torch", "--cpu", "--yes", UV_DEFAULT_INDEX=nobody_listens, HTTPS_PROXY="http://127.0.0.1:9"
    )
    assert found["exit"] == 3
    assert "network" in found["error"]["hint"]
    assert command.entries() == []


def test_existing_folder_is_untouched(command: Command) -> None:
    (command.home / "demo").mkdir()
    (command.home / "demo/thesis.txt").write_text("mine")
    before = tree(command.home)
    found = command.json("demo", "torch", "--cpu", "--yes")
    assert found["exit"] == 2
    assert "exists already" in found["error"]["message"]
    assert tree(command.home) == before


@pytest.mark.parametrize("name", ["$(touch pwned)", "a;b", "a`b`", "x" * 300, "", "a\tb", "no/such/place"])
def test_odd_names_are_one_clear_error(name: str, command: Command) -> None:
    found = command.json(name, "torch", "--cpu", "--yes")
    assert found["exit"] == 2
    assert found["error"]["hint"]
    assert command.entries() == []


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_folder_that_cannot_be_written(command: Command) -> None:
    found = command.json("/proc/self/demo", "torch", "--cpu", "--yes")
    assert found["exit"] == 2
    assert "written" in found["error"]["message"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("torch", "--with", "poetry"), 2),
        (("torch", "--index", "not an address"), 2),
        (("nosuchframework",), 2),
        (("torch", "--python", "9.9"), 2),
        (("torch", "--python", "3.5"), 1),
        (("torch==99.9",), 1),
        (("torch", "--target", "os=windows,arch=x86_64"), 2),
    ],
)
def test_bad_requests_change_nothing(words: tuple[str, ...], code: int, command: Command) -> None:
    found = command.json("demo", *words, "--cpu", "--yes")
    assert found["exit"] == code, found
    assert command.entries() == []


def test_without_a_terminal_nobody_can_be_asked(command: Command, tiny_index: TinyIndex) -> None:
    found = command.json("demo", "torch", "--cpu")
    assert found["exit"] == 2
    assert "--yes" in found["error"]["hint"]
    assert tiny_index.asked == []


@pytest.mark.parametrize(("answer", "built"), [("n\n", False), ("y\n", True)])
def test_asks_on_a_terminal(
    answer: str, built: bool, command: Command, stocked: Stock, terminal: tuple[int, int]
) -> None:
    stocked("torch", "--cpu")
    ours, theirs = terminal
    argv = command.argv("create", "env", "demo", "torch", "--cpu", *command.indexes)
    with subprocess.Popen(
        argv,
        cwd=command.home,
        env=command.environ,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        os.write(ours, answer.encode())
        out, err = process.communicate(timeout=120)
    os.close(ours)
    os.close(theirs)
    assert b"[y/N]" in err
    assert process.returncode == (0 if built else 130), err
    assert b"To fetch: 2 packages" in out
    assert command.entries() == (["demo"] if built else [])


def test_index_of_the_user_does_not_shadow_a_pinned_framework(
    command: Command, stocked: Stock, tiny_index: TinyIndex
) -> None:
    """Another index has a torch of the same version: it must not even be asked."""
    plan = stocked("torch", "--cpu")
    if plan["picks"][0]["index"] == "default":
        pytest.skip("on this system the CPU build comes from the configured index")
    other = tiny_index.address("other")
    from tiny.world import torch

    tiny_index.add("other", torch(plan["picks"][0]["version"] + "+cpu", "66.6"))
    found = command.json("demo", "torch", "--cpu", "--yes", "--index", other)
    assert found["exit"] == 0, found
    assert says(command.home / "demo/bin/python", "import torch; print(torch.version.cuda)") == "None"
    assert not any("/other/simple/torch/" in path for path in tiny_index.asked)


@pytest.fixture
def real(command: Command) -> Command:
    """The command with the configuration of the user who runs the tests."""
    if not has_network():
        pytest.skip("uv reaches no package index with the configuration of this machine")
    kept = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
    command.environ = {**os.environ, **{name: command.environ[name] for name in kept}}
    command.environ.pop("VIRTUAL_ENV", None)
    return command


@pytest.mark.network
@pytest.mark.parametrize("framework", ["jax", "onnxruntime", "ai-edge-litert"])
def test_real_framework_from_the_registry(framework: str, real: Command) -> None:
    found = real.json("demo", framework, "--cpu", "--yes")
    assert found["exit"] == 0, found
    outcome = found["environment"]["outcomes"][0]
    assert outcome["ok"]
    assert outcome["device"] == "cpu"
    assert found["environment"]["download_bytes"] > 10_000_000
    assert real.entries() == ["demo"]
