"""`dlsetup fix cuda-conflict` from outside: real uv, really broken environments, tiny wheels."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny.broken import Broken, make_broken
from tiny.command import Command
from tiny.index import TinyIndex

Fix = Callable[..., dict[str, Any]]


@pytest.fixture
def broken(tmp_path: Path, tiny_environ: dict[str, str]) -> Broken:
    return make_broken(tmp_path / "envs" / "my $(env)", tiny_environ)


@pytest.fixture
def fix(command: Command, broken: Broken, tiny_index: TinyIndex) -> Fix:
    """The command on the broken environment; its document and its exit code."""
    for name in ("pytorch-cu126", "pytorch-cpu"):
        command.indexes += ["--index", f"{name}={tiny_index.address(name)}"]

    def run(*words: str, **variables: str) -> dict[str, Any]:
        given = ("--env", str(broken.folder), "--json", *command.indexes)
        found = command("fix", "cuda-conflict", *given, *(words or ("--yes",)), **variables)
        assert found.stdout, found.stderr
        document: dict[str, Any] = json.loads(found.stdout)
        return {**document, "exit": found.returncode}

    return run


def moves(document: dict[str, Any]) -> dict[str, tuple[str | None, str | None]]:
    repair = document.get("repair") or document["mending"]["repair"]
    return {item["distribution"]: (item["before"], item["after"]) for item in repair["changes"]}


def collide(broken: Broken, index: TinyIndex) -> None:
    """torch for CUDA 12, whose cuDNN was written over by that of CUDA 13."""
    broken.put("torch==2.14.1+cu126", index=index.address("pytorch-cu126"))
    broken.put("numpy==2.3.5", "nvidia-cudnn-cu12==9.20.0.48")
    broken.put("nvidia-cudnn-cu13==9.24.0.43")


def mismatch(broken: Broken, index: TinyIndex) -> None:
    """torchvision of another torch."""
    broken.put("torch==2.14.1+cpu", index=index.address("pytorch-cpu"))
    broken.put("numpy==2.3.5", "torchvision==0.28.0")


def twins(broken: Broken) -> None:
    broken.put("numpy==2.3.5", "onnxruntime-gpu==1.31.1")
    broken.put("onnxruntime==1.31.1")


def says(broken: Broken, code: str) -> str:
    done = subprocess.run([broken.python, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_two_majors_over_each_other(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    collide(broken, tiny_index)
    assert broken.text("nvidia/cudnn/lib/libcudnn.so.9").startswith("nvidia-cudnn-cu13")
    found = fix()
    assert (found["exit"], found["result"], found["ok"]) == (0, "mended", True), found
    assert moves(found) == {
        "nvidia-cudnn-cu13": ("9.24.0.43", None),
        "nvidia-cudnn-cu12": ("9.20.0.48", "9.20.0.48"),
    }
    assert broken.text("nvidia/cudnn/lib/libcudnn.so.9").startswith("nvidia-cudnn-cu12")
    assert broken.beside() == [broken.folder.name]
    again = fix()
    assert (again["exit"], again["result"]) == (0, "nothing-to-mend"), again


def test_the_companion_of_another_torch(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    mismatch(broken, tiny_index)
    found = fix()
    assert found["result"] == "mended", found
    assert moves(found) == {"torchvision": ("0.28.0", "0.29.1+cpu")}
    assert says(broken, "import torchvision; print(torchvision.__version__)") == "0.29.1+cpu"
    assert fix()["result"] == "nothing-to-mend"


def test_twins_without_a_gpu(fix: Fix, broken: Broken) -> None:
    twins(broken)
    found = fix()
    assert found["result"] == "mended", found
    assert moves(found) == {"onnxruntime-gpu": ("1.31.1", None), "onnxruntime": ("1.31.1", "1.31.1")}
    assert says(broken, "import onnxruntime; print(onnxruntime.build)") == "onnxruntime"
    assert fix()["result"] == "nothing-to-mend"


def test_a_plugin_out_of_step(fix: Fix, broken: Broken) -> None:
    broken.put("jax==0.10.2", "jaxlib==0.10.2", "jax-cuda12-plugin==0.10.1", "numpy==2.3.5")
    broken.put("nvidia-cudnn-cu12==9.20.0.48")
    found = fix()
    assert found["result"] == "mended", found
    assert moves(found) == {"jax-cuda12-plugin": ("0.10.1", "0.10.2")}
    assert fix()["result"] == "nothing-to-mend"


def test_two_faults_at_once(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    collide(broken, tiny_index)
    twins(broken)
    found = fix()
    assert found["result"] == "mended", found
    assert set(moves(found)) == {
        "nvidia-cudnn-cu13",
        "nvidia-cudnn-cu12",
        "onnxruntime",
        "onnxruntime-gpu",
    }
    assert fix()["result"] == "nothing-to-mend"


def test_a_dry_run_shows_the_steps_and_writes_nothing(
    fix: Fix, broken: Broken, tiny_index: TinyIndex, tmp_path: Path
) -> None:
    collide(broken, tiny_index)
    before = broken.tree(), broken.beside()
    found = fix("--dry-run")
    assert (found["exit"], found["result"]) == (0, "planned"), found
    assert (broken.tree(), broken.beside()) == before
    script = tmp_path / "steps.sh"
    script.write_text(found["script"])
    subprocess.run(["sh", str(script)], check=True, env=broken.environ, cwd=tmp_path, capture_output=True)
    assert broken.text("nvidia/cudnn/lib/libcudnn.so.9").startswith("nvidia-cudnn-cu12")
    assert fix()["result"] == "nothing-to-mend"
