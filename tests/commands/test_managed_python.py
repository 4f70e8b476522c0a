"""Pythons that uv brings: into an environment, and into a bundle. The real uv, from a mirror in a folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny.command import Command
from tiny.python import PackedPython, pack

from dlsetup.act.environment import UvBuild, uv_runner
from dlsetup.act.uv import find_uv
from dlsetup.act.workplace import place_for, workplace
from dlsetup.model import codec
from dlsetup.model.outcome import Passport
from dlsetup.model.resolution import Plan
from dlsetup.plan.environment import Means
from dlsetup.show.resolution import plan_lines

Stock = Callable[..., dict[str, Any]]
HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"
WORDS = ("jax", "--cpu", "--python", HERE)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> PackedPython:
    return pack(tmp_path_factory.mktemp("mirror") / "pythons")


@pytest.fixture
def packed(original: PackedPython, tmp_path: Path) -> PackedPython:
    """One of our own, which may be damaged."""
    folder = tmp_path / "py thons"
    shutil.copytree(original.folder, folder)
    return PackedPython(folder, original.key, original.name)


def test_environment_stands_on_the_python_that_uv_brings(
    command: Command, stocked: Stock, packed: PackedPython
) -> None:
    """The plan of a machine without a fitting Python, carried out."""
    shown = stocked(*WORDS)
    plan = codec.convert({**shown, "interpreter": None}, Plan, where="test")
    assert any("brought by uv" in line.text for line in plan_lines(plan))
    environ = {**command.environ, **packed.environ}
    uv = find_uv(environ)
    passport = Passport(dlsetup="0", tool="uv", plan=plan)
    place = place_for("demo", str(command.home))
    build = UvBuild(plan, place, Means(uv=uv), passport, uv_runner(environ, seen=False))
    with workplace(place):
        steps = [*build.prepare(), *build.install()]
        build.settle()
    assert f"fetch Python {HERE}, if uv has none yet" in [getattr(step, "why", "") for step in steps]
    code = "import sys, jax; print(sys.base_prefix)"
    said = subprocess.run(
        [command.home / "demo/bin/python", "-c", code], capture_output=True, text=True, check=True
    )
    assert Path(said.stdout.strip()).is_relative_to(packed.folder / "installed")


def test_python_goes_along_and_is_all_that_is_needed(
    command: Command, stocked: Stock, packed: PackedPython
) -> None:
    stocked(*WORDS)
    words = ("bundle", *WORDS, "-o", "there", "--python-too", "--yes", "--json", *command.indexes)
    found = json.loads(command(*words, **packed.environ).stdout)
    assert found["ok"], found
    assert f"python/20990101/{packed.name}" in [item["path"] for item in found["files"]]
    folder = command.home / "there"
    bare = command.home / "programs"
    bare.mkdir()
    needed = ("sh", "uname", "sha256sum", "grep", "tar", "gzip", "mkdir", "rm", "chmod", "dirname")
    for name in needed:
        (bare / name).symlink_to(shutil.which(name) or name)
    (bare / "uv").symlink_to(find_uv(command.environ))
    finished = subprocess.run(
        ["sh", str(folder / "install.sh"), "an env"],
        cwd=command.home,
        env={"PATH": str(bare), "HOME": str(command.home)},
        capture_output=True,
        text=True,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    code = "import sys, jax; print(sys.base_prefix)"
    said = subprocess.run(
        [command.home / "an env/bin/python", "-c", code], capture_output=True, text=True, check=True
    )
    assert Path(said.stdout.strip()) == command.home / "an env/python"


def test_python_that_uv_does_not_know_is_refused(
    command: Command, stocked: Stock, packed: PackedPython
) -> None:
    stocked(*WORDS)
    packed.damage()
    words = ("bundle", *WORDS, "-o", "there", "--python-too", "--yes", "--json", *command.indexes)
    found = command(*words, **packed.environ)
    assert found.returncode == 3
    assert "not the one that uv knows" in json.loads(found.stdout)["error"]["message"]
    assert not (command.home / "there").exists()


def test_create_env_fetches_nothing_where_the_user_forbids_it(command: Command, packed: PackedPython) -> None:
    environ = {**packed.environ, "UV_PYTHON_DOWNLOADS": "never"}
    found = command.json("demo", "jax", "--cpu", "--python", "3.99", "--yes", **environ)
    assert found["exit"] == 1
    assert not (packed.folder / "installed").exists()
    assert os.listdir(command.home) == []
