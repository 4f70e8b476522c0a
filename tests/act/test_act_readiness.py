"""Environments that are left alone, each with its reason."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dlsetup.act.readiness import obstacle
from dlsetup.model.machine import Environment


@pytest.fixture
def env(tmp_path: Path) -> Path:
    folder = tmp_path / "my env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    return folder


def seen(folder: Path, kind: str = "venv", **more: object) -> Environment:
    return Environment(path=str(folder), kind=kind, **more)  # type: ignore[arg-type]


def test_nothing_is_in_the_way(env: Path) -> None:
    assert obstacle(seen(env)) is None


@pytest.mark.parametrize(
    ("kind", "managed", "reason"),
    [
        ("conda", True, "PEP 668"),
        ("system", False, "package manager of the system"),
        ("venv", True, "PEP 668"),
        ("uv", False, "not a virtual environment"),
        ("pyenv", False, "not a virtual environment"),
    ],
)
def test_kinds_that_others_look_after(env: Path, kind: str, managed: bool, reason: str) -> None:
    assert reason in str(obstacle(seen(env, kind, externally_managed=managed)))


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("condabin/conda", "base of a conda installation"),
        ("conda-meta/conda-26.9.0-py312h0_0.json", "base of a conda installation"),
        ("conda-meta/pixi", "made by pixi"),
        ("conda-meta/frozen", "frozen"),
    ],
)
def test_conda_environments_of_somebody_else(env: Path, path: str, reason: str) -> None:
    (env / path).parent.mkdir()
    (env / path).touch()
    assert reason in str(obstacle(seen(env, "conda")))


def test_a_package_whose_name_begins_like_conda_makes_no_base(env: Path) -> None:
    (env / "conda-meta").mkdir()
    (env / "conda-meta" / "conda-pack-0.8-0.json").touch()
    assert obstacle(seen(env, "conda")) is None


def test_a_folder_without_settings_is_no_environment(env: Path) -> None:
    (env / "pyvenv.cfg").unlink()
    assert "pyvenv.cfg" in str(obstacle(seen(env)))
    assert "No such file" in str(obstacle(seen(env / "gone")))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives folders away")
def test_the_environment_of_another_user(env: Path) -> None:
    os.chown(env, 4711, 4711)
    assert "another user (number 4711)" in str(obstacle(seen(env)))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_nobody_may_write_to(env: Path) -> None:
    env.parent.chmod(0o500)
    try:
        assert "nothing can be written" in str(obstacle(seen(env)))
    finally:
        env.parent.chmod(0o700)


def test_dlsetup_does_not_saw_off_its_own_branch() -> None:
    own = Environment(path=sys.prefix, kind="venv")
    if not (Path(sys.prefix) / "pyvenv.cfg").exists():
        pytest.skip("dlsetup runs outside any virtual environment")
    assert "dlsetup itself" in str(obstacle(own))


@pytest.mark.parametrize("how", ["by its path", "by its name", "by a relative path", "by a link"])
def test_a_running_python_keeps_its_environment(env: Path, how: str) -> None:
    calls = {
        "by its path": (str(env / "bin" / "python"), env.parent),
        "by its name": ("python", env.parent),
        "by a relative path": (f"{env.name}/bin/python", env.parent),
        "by a link": (str(env.parent / "link" / "bin" / "python"), env.parent),
    }
    (env.parent / "link").symlink_to(env)
    program, folder = calls[how]
    environ = {**os.environ, "PATH": f"{env / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    wait = "import sys; print(1, flush=True); sys.stdin.read()"
    process = subprocess.Popen(
        [program, "-c", wait], cwd=folder, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()
        assert f"process {process.pid})" in str(obstacle(seen(env)))
        assert obstacle(seen(env), changing=False) is None
    finally:
        process.communicate(b"")
    assert obstacle(seen(env)) is None


def test_a_python_of_another_environment_is_no_hindrance(env: Path, tmp_path: Path) -> None:
    other = tmp_path / "my env 2"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(other)], check=True)
    wait = "import sys; print(1, flush=True); sys.stdin.read()"
    process = subprocess.Popen(
        [str(other / "bin" / "python"), "-c", wait], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()
        assert obstacle(seen(env)) is None
    finally:
        process.communicate(b"")
