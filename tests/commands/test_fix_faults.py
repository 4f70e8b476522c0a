"""`dlsetup fix` on a machine that fails it: the environment is as it was, and it is said."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tiny.broken import Broken, Fix, collide, make_broken, mismatch
from tiny.index import TinyIndex

from dlsetup.act.uv import find_uv

resource = pytest.importorskip("resource", reason="this system has no limits of resources")


def test_no_file_may_grow(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    """As on a full disk: in the middle of the copy a write fails."""
    mismatch(broken, tiny_index)
    (broken.folder / "large.bin").write_bytes(b"l" * 900_000)
    before = broken.tree(), broken.beside()
    done = subprocess.run(
        fix.argv("--yes", "--json"),
        cwd=fix.command.home,
        env=fix.command.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000)),
    )
    assert done.returncode == 3, done.stderr
    assert "cannot be copied" in json.loads(done.stdout)["error"]["message"]
    assert (broken.tree(), broken.beside()) == before


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own; only root may make one."""
    place = tmp_path / "disk"
    place.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(words, capture_output=True).returncode:
        pytest.skip("this user cannot mount a file system")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_a_disk_without_room(
    fix: Fix, small_disk: Path, tiny_environ: dict[str, str], tiny_index: TinyIndex
) -> None:
    """It is said before anything is written."""
    crowded = make_broken(small_disk / "envs" / "env", tiny_environ)
    mismatch(crowded, tiny_index)
    (small_disk / "ballast").write_bytes(b"b" * (50 << 20))
    before = crowded.tree(), crowded.beside()
    found = Fix(fix.command, crowded)()
    assert found["exit"] == 3, found
    assert "are free there" in found["error"]["message"]
    assert (crowded.tree(), crowded.beside()) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_the_folder_beside_may_not_be_written(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    mismatch(broken, tiny_index)
    before = broken.tree(), broken.beside()
    broken.folder.parent.chmod(0o500)
    try:
        found = fix()
    finally:
        broken.folder.parent.chmod(0o700)
    assert (found["exit"], found["result"]) == (1, "refused"), found
    assert (broken.tree(), broken.beside()) == before


def test_no_journal_can_be_kept(fix: Fix, broken: Broken, tiny_index: TinyIndex, tmp_path: Path) -> None:
    mismatch(broken, tiny_index)
    before = broken.tree(), broken.beside()
    (tmp_path / "file").touch()
    found = fix(DLSETUP_STATE=str(tmp_path / "file"))
    assert found["exit"] == 3, found
    assert "DLSETUP_STATE" in found["error"]["hint"]
    assert (broken.tree(), broken.beside()) == before


def uv_that(fix: Fix, *lines: str) -> dict[str, str]:
    """Variables with which dlsetup finds another uv: it does these lines once it is to install something."""
    folder = fix.command.home.parent / "another-uv"
    (folder / "uv").mkdir(parents=True)
    program = folder / "uv-program"
    words = ["#!/bin/sh", 'case "$*" in', "*--dry-run*) ;;", '*"pip install"*)', *lines, ";;", "esac"]
    real = find_uv(fix.command.environ)
    program.write_text("\n".join([*words, f'exec "{real}" "$@"']) + "\n")
    program.chmod(0o755)
    (folder / "uv" / "__init__.py").write_text(f"def find_uv_bin():\n    return {str(program)!r}\n")
    return {"PYTHONPATH": f"{folder}{os.pathsep}{fix.command.environ['PYTHONPATH']}"}


def test_uv_crashes(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    mismatch(broken, tiny_index)
    before = broken.tree(), broken.beside()
    found = fix(**uv_that(fix, "kill -SEGV $$"))
    assert (found["exit"], found["error"]["code"]) == (3, "step-failed"), found
    assert "was ended by the signal SIGSEGV" in found["error"]["message"]
    assert (broken.tree(), broken.beside()) == before
    assert fix()["result"] == "mended"


def test_uv_crashes_after_it_has_taken_something_away(
    fix: Fix, broken: Broken, tiny_index: TinyIndex
) -> None:
    mismatch(broken, tiny_index)
    before = broken.tree(), broken.beside()
    spoil = f'rm -r "{broken.folder.parent}"/.*.mending-*/lib/python*/site-packages/torchvision*'
    found = fix(**uv_that(fix, spoil, "kill -KILL $$"))
    assert (found["exit"], found["error"]["code"]) == (3, "step-failed"), found
    assert "SIGKILL" in found["error"]["message"]
    assert (broken.tree(), broken.beside()) == before


def test_uv_is_gone_in_the_middle(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    """It is there for the forecast and the removal, and no longer when something is installed."""
    collide(broken, tiny_index)
    before = broken.tree(), broken.beside()
    variables = uv_that(fix)
    program = fix.command.home.parent / "another-uv" / "uv-program"
    real = find_uv(fix.command.environ)
    lines = ["#!/bin/sh", f'case "$*" in *"pip uninstall"*) rm "{program}";; esac', f'exec "{real}" "$@"']
    program.write_text("\n".join(lines) + "\n")
    found = fix(**variables)
    assert (found["exit"], found["error"]["code"]) == (5, "tool-missing"), found
    assert not program.exists()
    assert (broken.tree(), broken.beside()) == before
    assert fix()["result"] == "mended"
