"""`dlsetup fix` that cannot, must not or may not go on: the environment is as it was."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tiny.broken import Broken, Fix, collide, mismatch, pair
from tiny.index import Fault, TinyIndex


@pytest.mark.parametrize(
    ("start_of_name", "fault"),
    [
        ("nvidia_cudnn_cu12-", "wrong-hash"),
        ("nvidia_cudnn_cu12-", "cut"),
        ("nvidia_cudnn_cu12-", "unavailable"),
        ("nvidia-cudnn-cu12", "unavailable"),
    ],
)
def test_an_index_that_fails(
    fix: Fix, broken: Broken, tiny_index: TinyIndex, start_of_name: str, fault: Fault
) -> None:
    """In the middle of the work, or before it: the files of a wheel, or its page on the index."""
    collide(broken, tiny_index)
    before = broken.tree(), broken.beside()
    tiny_index.faults[start_of_name] = fault
    found = fix()
    assert (found["exit"], found["ok"]) == (3, False), found
    assert found["error"]["code"] == "step-failed"
    assert (broken.tree(), broken.beside()) == before
    tiny_index.faults.clear()
    assert fix()["result"] == "mended"


def test_what_does_not_work_after_all_is_taken_back(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    mismatch(broken, tiny_index)
    before = broken.tree(), broken.beside()
    found = fix(TINY_TORCH="wrong")
    assert (found["exit"], found["result"], found["ok"]) == (3, "taken-back", False), found
    assert "torch does not work: computed" in found["mending"]["complaints"][0]
    assert (broken.tree(), broken.beside()) == before


def test_a_gpu_that_stays_unseen_is_taken_back(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    broken.put("torch==2.14.1+cpu", index=tiny_index.address("pytorch-cpu"))
    broken.put("numpy==2.3.5")
    before = broken.tree(), broken.beside()
    fix.give_gpu(driver="535.129.03")
    found = fix(TINY_GPUS="0")
    assert (found["exit"], found["result"]) == (3, "taken-back"), found
    assert "computes on the CPU" in found["mending"]["complaints"][0]
    assert (broken.tree(), broken.beside()) == before


def test_an_environment_in_use_is_left_alone(fix: Fix, broken: Broken) -> None:
    pair(broken)
    before = broken.tree(), broken.beside()
    wait = "import sys; print(1, flush=True); sys.stdin.read()"
    user = subprocess.Popen([str(broken.python), "-c", wait], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert user.stdout is not None
        user.stdout.readline()
        found = fix()
        assert (found["exit"], found["result"], found["ok"]) == (1, "refused", False), found
        assert f"process {user.pid}" in found["refused"]
        assert found["findings"][0]["remedies"][0]["commands"]
        assert fix("--dry-run")["result"] == "planned"
    finally:
        user.communicate(b"")
    assert (broken.tree(), broken.beside()) == before


def test_the_base_of_a_conda_installation_is_left_alone(fix: Fix, broken: Broken) -> None:
    pair(broken)
    (broken.folder / "pyvenv.cfg").unlink()
    (broken.folder / "conda-meta").mkdir()
    (broken.folder / "condabin").mkdir()
    python = f"{sys.version_info.major}.{sys.version_info.minor}.{sys.version_info.micro}"
    (broken.folder / "conda-meta" / f"python-{python}-h955ad1f_0.json").write_text("{}")
    before = broken.tree(), broken.beside()
    found = fix()
    assert (found["exit"], found["result"]) == (1, "refused"), found
    assert "base of a conda installation" in found["refused"]
    assert (broken.tree(), broken.beside()) == before


def test_no_such_environment_and_nobody_to_ask(fix: Fix, broken: Broken) -> None:
    pair(broken)
    gone = fix("--env", str(broken.folder / "gone"), "--yes")
    assert (gone["exit"], gone["error"]["code"]) == (2, "usage"), gone
    silent = fix("--json")
    assert (silent["exit"], silent["error"]["code"]) == (2, "usage"), silent
    assert "--yes" in silent["error"]["hint"]
    odd = fix("--yes", "--index", "no address")
    assert odd["exit"] == 2, odd


def test_nothing_fits_and_the_ways_out_are_shown(fix: Fix, broken: Broken) -> None:
    broken.put("torch==2.14.1", "nvidia-cudnn-cu13==9.24.0.43", "numpy==2.3.5")
    before = broken.tree(), broken.beside()
    fix.give_gpu(driver="390.48", capability="9.0")
    found = fix()
    assert (found["exit"], found["result"], found["ok"]) == (1, "conflict", False), found
    assert found["conflict"]["core"]
    assert (broken.tree(), broken.beside()) == before


@pytest.mark.parametrize(("word", "code"), [("n", 130), ("y", 0)])
def test_a_person_is_asked(fix: Fix, broken: Broken, terminal: tuple[int, int], word: str, code: int) -> None:
    pair(broken)
    before = broken.tree()
    keyboard, screen = terminal
    process = subprocess.Popen(
        fix.argv(),
        cwd=fix.command.home,
        env=fix.command.environ,
        stdin=screen,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(screen)
    os.write(keyboard, f"{word}\n".encode())
    said, asked = process.communicate(timeout=60)
    os.close(keyboard)
    assert process.returncode == code, said + asked
    assert f"Mend {broken.folder}? [y/N]" in asked
    assert ("Nothing was changed." in said) is (word == "n")
    assert (broken.tree() == before) is (word == "n")
    assert broken.beside() == [broken.folder.name]


def test_the_words(fix: Fix, broken: Broken) -> None:
    pair(broken)
    done = subprocess.run(
        fix.argv("--yes"),
        cwd=fix.command.home,
        env=fix.command.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "[onnxruntime-cpu-and-gpu-both]" in done.stdout
    assert "remove onnxruntime-gpu 1.31.1" in done.stdout
    said = " ".join(done.stdout.split())
    assert f"✓ {broken.folder} is mended." in said
    (former,) = broken.formers()
    assert f"is kept as `{former}`" in said
    assert said.endswith(f"hint: `dlsetup undo {former.name[-6:]}` brings it back.")
    assert Path(broken.folder).exists()
