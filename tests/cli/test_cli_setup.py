"""The script of a newcomer, on machines that lack something: it says what, and how to get it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "setup.sh"
USUAL = ("sh", "dirname", "cksum", "sed", "grep", "tail", "mktemp", "rm", "cat")
pytestmark = pytest.mark.skipif(shutil.which("sh") is None, reason="there is no POSIX shell")


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A machine with a handful of programs; `bin` is its PATH, the project lies in `a project`."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in USUAL:
        found = shutil.which(name)
        assert found
        (programs / name).symlink_to(found)
    project = tmp_path / "a project"
    project.mkdir()
    shutil.copy(SCRIPT, project)
    (project / "pyproject.toml").write_text("")
    return tmp_path


def program(bare: Path, name: str, text: str) -> None:
    """A program that does what the shell words say."""
    path = bare / "bin" / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def called(bare: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", str(bare / "a project" / "setup.sh"), *words],
        env={"PATH": str(bare / "bin")},
        capture_output=True,
        text=True,
        timeout=30,
    )


def test_without_python_and_without_apt(bare: Path) -> None:
    done = called(bare, "doctor")
    assert done.returncode == 5
    assert "this machine lacks: python3 python3-venv" in done.stderr
    assert done.stderr.count("hint:") == 1
    assert not (bare / "a project" / ".venv").exists()


def test_with_a_python_that_is_too_old(bare: Path) -> None:
    program(bare, "python3", 'case "$1" in --version) echo Python 3.8.1;; *) exit 1;; esac')
    done = called(bare, "doctor")
    assert done.returncode == 5
    assert "no Python 3.10 or newer" in done.stderr
    assert "Python 3.8.1" in done.stderr


def test_without_the_rights_to_install_it_names_the_command(bare: Path) -> None:
    program(bare, "python3", 'case "$2" in *ensurepip*) exit 1;; *) exit 0;; esac')
    program(bare, "apt-get", f'echo "$@" >>"{bare}/apt.log"')
    program(bare, "id", "echo 1000")
    done = called(bare, "doctor")
    assert done.returncode == 5
    assert "as root: apt-get install python3-venv" in done.stderr
    assert not (bare / "apt.log").exists()


def test_what_is_missing_is_installed_and_said_before(bare: Path) -> None:
    program(
        bare,
        "python3",
        f"""case "$*" in
*ensurepip*) [ -e "{bare}/apt.log" ];;
*"-m venv --clear"*) mkdir -p "$4/bin"; cp "{bare}/bin/venv-python" "$4/bin/python"
    printf '#!/bin/sh\\necho "dlsetup got: $*"\\n' >"$4/bin/dlsetup"; chmod +x "$4/bin/dlsetup";;
esac""",
    )
    program(bare, "venv-python", f'echo "$@" >>"{bare}/pip.log"')
    program(bare, "apt-get", f'echo "$@" >>"{bare}/apt.log"')
    program(bare, "sudo", 'exec "$@"')
    program(bare, "id", "echo 1000")
    for name in ("mkdir", "cp", "chmod", "env"):
        (bare / "bin" / name).symlink_to(shutil.which(name) or "")
    done = called(bare, "create", "env", "my demo", "jax")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "dlsetup got: create env my demo jax\n"
    assert "installing python3-venv with apt-get (through sudo)" in done.stderr
    assert "install -y -q --no-install-recommends python3-venv" in (bare / "apt.log").read_text()
    first = (bare / "pip.log").read_text()
    assert "pip install" in first
    again = called(bare, "doctor")
    assert (again.returncode, again.stderr) == (0, "")
    assert (bare / "pip.log").read_text().count("pip install") == first.count("pip install")
