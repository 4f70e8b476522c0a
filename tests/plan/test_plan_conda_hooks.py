"""Hooks of conda that trim LD_LIBRARY_PATH, in the shells that are on this machine."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dlsetup.plan.activation import PATH
from dlsetup.plan.conda_hooks import hook_files

GONE = ("/opt/cuda a/lib64", "/usr/local/cuda/lib64/")
VALUE = "/opt/cuda a/lib64:/home/me/lib:/usr/local/cuda/lib64/:/opt/cuda a/lib64:/my lib"
PRINT = "env | grep '^LD_LIBRARY_PATH=' || echo none"
PRINT_POWERSHELL = "if ($env:LD_LIBRARY_PATH) { \"LD_LIBRARY_PATH=$env:LD_LIBRARY_PATH\" } else { 'none' }"
SHELLS = {
    "bash": ("bash -eu", ".", "sh"),
    "zsh": ("zsh -f", ".", "sh"),
    "dash": ("dash -eu", ".", "sh"),
    "fish": ("fish --no-config", "source", "fish"),
    "tcsh": ("tcsh -f", "source", "csh"),
    "pwsh": ("pwsh -NoProfile -File", ".", "ps1"),
}


@pytest.mark.parametrize("name", SHELLS)
@pytest.mark.parametrize(
    ("value", "kept"), [(VALUE, "/home/me/lib:/my lib"), (GONE[0], None), (None, None), ("/a", "/a")]
)
def test_activated_and_left(tmp_path: Path, name: str, value: str | None, kept: str | None) -> None:
    call, source, ending = SHELLS[name]
    if sys.platform == "win32" or shutil.which(name) is None:
        pytest.skip(f"{name} is not on this machine, or it has no LD_LIBRARY_PATH")
    prefix = tmp_path / "my env"
    for change in hook_files(GONE):
        (prefix / change.path).parent.mkdir(parents=True, exist_ok=True)
        (prefix / change.path).write_text(change.text or "")
    show = PRINT_POWERSHELL if name == "pwsh" else PRINT
    hooks = [
        f"{prefix}/etc/conda/{when}/zz-dlsetup-library-path.{ending}"
        for when in ("activate.d", "deactivate.d")
    ]
    lines = [show, f"{source} '{hooks[0]}'", show, f"{source} '{hooks[1]}'", show]
    script = tmp_path / f"script.{ending}"
    script.write_text("\n".join(lines) + "\n")
    environ = {key: text for key, text in os.environ.items() if key != "LD_LIBRARY_PATH"}
    environ |= {"CONDA_PREFIX": str(prefix)} | ({"LD_LIBRARY_PATH": value} if value else {})
    done = subprocess.run([*shlex.split(call), str(script)], env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    was, now = (f"LD_LIBRARY_PATH={text}" if text else "none" for text in (value, kept))
    assert done.stdout.splitlines() == [was, now, was]


def test_the_folders_are_told_once() -> None:
    told = {change.path: change.text for change in hook_files([*GONE, *GONE])}
    assert told[PATH] == "".join(f"{folder}\n" for folder in GONE)
    assert len(told) == 9
