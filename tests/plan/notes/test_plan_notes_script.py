"""The script of a note, run by a real shell with stubs for every program: it asks, and stops at a failure."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from note_machines import EXPECTED, MACHINES
from note_shell import SHELL, run

from dlsetup.model.note import Note, NoteStep
from dlsetup.plan.notes.script import note_script

Make = Callable[[str, str], Note]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no POSIX shell")
PAIRS = [
    (folder, kind) for folder in EXPECTED for kind in EXPECTED[folder] if not folder.startswith("windows")
]
WORDS = (
    ("driver", 'distro="Debian 12",arch=x86_64,gpu="RTX 4090",driver=none'),
    ("driver", 'distro="Rocky Linux 9.4",arch=x86_64,gpu="H100",driver=none,secureboot=on'),
    ("driver", 'distro="openSUSE Leap 15.6",arch=x86_64,gpu="RTX 4090",driver=none'),
    ("driver", 'distro="Fedora Linux 43",arch=x86_64,gpu="RTX 4090",driver=none'),
    ("rocm", 'distro="Ubuntu 24.04",arch=x86_64,gpu="gfx1031"'),
    ("jetson", "l4t=38.2"),
    ("ascend", 'os=linux,arch=x86_64,gpu="Ascend 910B"'),
    ("container-toolkit", 'distro="Rocky Linux 9.4",gpu="A100",driver=580.95.05,arch=x86_64'),
)


@pytest.mark.parametrize(("folder", "kind"), PAIRS)
def test_it_is_plain_posix_shell(folder: str, kind: str, note_of: Make, tmp_path: Path) -> None:
    check(note_script(note_of(kind, folder)), tmp_path)


@pytest.mark.parametrize(("kind", "words"), WORDS)
def test_it_is_for_targets_too(kind: str, words: str, note_of: Make, tmp_path: Path) -> None:
    check(note_script(note_of(kind, words)), tmp_path)


def check(script: str, place: Path) -> None:
    path = place / "note.sh"
    path.write_text(script)
    assert subprocess.run([SHELL, "-n", str(path)], capture_output=True, text=True).stderr == ""
    shellcheck = shutil.which("shellcheck") or str(Path(sys.executable).parent / "shellcheck")
    done = subprocess.run([shellcheck, "--shell=sh", str(path)], capture_output=True, text=True)
    assert done.stdout == ""


@pytest.mark.parametrize(("kind", "words"), WORDS)
def test_who_answers_no_changes_nothing(kind: str, words: str, note_of: Make, tmp_path: Path) -> None:
    note = note_of(kind, words)
    done, log = run(note_script(note), tmp_path, "n\n" * 100)
    assert (done.returncode, done.stderr, log) == (0, "", [])
    assert done.stdout.count("Left out.") == note.count("needed", "optional", "ask")
    assert done.stdout.endswith("That was the last step.\n")


def test_who_answers_nothing_at_all_changes_nothing(note_of: Make, tmp_path: Path) -> None:
    done, log = run(note_script(note_of(*WORDS[0])), tmp_path, "")
    assert (done.returncode, log) == (0, [])


def test_who_answers_yes_gets_each_command_once_in_order(note_of: Make, tmp_path: Path) -> None:
    note = note_of(
        "driver", 'distro="Debian 12",arch=x86_64,gpu="RTX 5090",driver=none,kernel=6.1.0-28-amd64'
    )
    done, log = run(note_script(note), tmp_path, "y\n" * 100)
    assert (done.returncode, done.stderr) == (0, "")
    wanted = [
        "sudo apt install linux-headers-6.1.0-28-amd64",
        "sudo apt install nvidia-open",
        "mokutil --sb-state",
        "sudo mokutil --import /var/lib/dkms/mok.pub",
        "sudo apt-mark hold nvidia-open",
        "sudo reboot",
    ]
    assert [line for line in log if line in wanted] == wanted
    assert log[-1] == "sudo reboot"
    assert "dlsetup notes driver" in done.stdout


def test_it_stops_at_the_first_failure(note_of: Make, tmp_path: Path) -> None:
    note = note_of("container-toolkit", "linux-two-gpus")
    done, log = run(note_script(note), tmp_path, "y\n" * 100, failing="sudo")
    assert done.returncode == 1
    assert log == ["sudo apt install docker.io"]
    assert "That was the last step." not in done.stdout


def test_a_look_that_finds_nothing_is_no_failure(note_of: Make, tmp_path: Path) -> None:
    note = note_of("driver", 'distro="Ubuntu 24.04"')
    done, log = run(note_script(note), tmp_path, "y\ny\nn\n", failing="nvidia-smi")
    assert done.returncode == 0
    assert "nvidia-smi" in log
    assert "It ends with an error." in done.stdout


def test_the_windows_side_is_said_and_never_run(note_of: Make, tmp_path: Path) -> None:
    note = note_of("wsl", "wsl2-rtx4070")
    windows: list[NoteStep] = [step for step in note.steps if step.place == "windows"]
    done, log = run(note_script(note), tmp_path, "y\n" * 100)
    assert windows
    assert not [line for line in log if line.startswith(("wsl --", "notepad"))]
    assert "On the Windows side, in PowerShell:" in done.stdout
    assert "memory=24GB" in done.stdout


def test_every_recorded_machine_is_there() -> None:
    assert {folder for folder, _ in PAIRS} <= {path.parent.name for path in MACHINES.glob("*/machine.json")}
