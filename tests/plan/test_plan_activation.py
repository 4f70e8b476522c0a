"""Activation scripts that trim LD_LIBRARY_PATH, in the shells that are on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dlsetup.act.uv import find_uv
from dlsetup.plan.activation import MARK, PATH, SHELLS, activation_files, spellings, trimmed

GONE = ("/opt/cuda a/lib64", "/usr/local/cuda/lib64/")
VALUE = "/opt/cuda a/lib64:/home/me/lib:/usr/local/cuda/lib64/:/opt/cuda a/lib64:/my lib"
KEPT = "/home/me/lib:/my lib"
CALLS = {
    "bash": (("bash", "-eu"), ". {}/bin/activate", "deactivate"),
    "zsh": (("zsh", "-f"), ". {}/bin/activate", "deactivate"),
    "fish": (("fish", "--no-config"), "source {}/bin/activate.fish", "deactivate"),
    "tcsh": (("tcsh", "-f"), "source {}/bin/activate.csh", "deactivate"),
    "pwsh": (("pwsh", "-NoProfile", "-File"), ". {}/bin/@ctivate.ps1", "deactivate"),
}
PRINT = "env | grep '^LD_LIBRARY_PATH=' || echo none"
PRINT_POWERSHELL = "if ($env:LD_LIBRARY_PATH) { \"LD_LIBRARY_PATH=$env:LD_LIBRARY_PATH\" } else { 'none' }"


@pytest.fixture(params=["venv", "uv"])
def environment(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """An environment of either maker, in a folder with a space in its name, with the hook."""
    if sys.platform == "win32":
        pytest.skip("Windows has no LD_LIBRARY_PATH")
    folder = tmp_path / "my env"
    venv = (sys.executable, "-m", "venv", "--without-pip", str(folder))
    uv = (find_uv(os.environ), "venv", "--quiet", "--python", sys.executable, str(folder))
    subprocess.run(venv if request.param == "venv" else uv, check=True, capture_output=True)
    there = (shell.script for shell in SHELLS if (folder / shell.script).exists())
    for change in activation_files(GONE, {name: (folder / name).read_text() for name in there}):
        assert change.text is not None
        (folder / change.path).parent.mkdir(exist_ok=True)
        (folder / change.path).write_text(change.text)
    return folder


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    ("value", "trimmed_value"), [(VALUE, KEPT), (GONE[0], None), (None, None), ("/a", "/a")]
)
def test_a_shell(
    environment: Path, tmp_path: Path, name: str, value: str | None, trimmed_value: str | None
) -> None:
    """Activated, activated once more, deactivated."""
    argv, source, leave = CALLS[name]
    if shutil.which(argv[0]) is None:
        pytest.skip(f"{name} is not on this machine")
    script = tmp_path / ("script.ps1" if name == "pwsh" else "script")
    capital = "A" if (environment / "bin" / "Activate.ps1").exists() else "a"
    activate = source.format(f"'{environment}'").replace("@ctivate", f"{capital}ctivate")
    printing = PRINT_POWERSHELL if name == "pwsh" else PRINT
    first = "set prompt = x\n" if name == "tcsh" else ""
    script.write_text(first + "\n".join([activate, printing, activate, printing, leave, printing]) + "\n")
    environ = {key: text for key, text in os.environ.items() if key != "LD_LIBRARY_PATH"}
    environ |= {"LD_LIBRARY_PATH": value} if value else {}
    done = subprocess.run([*argv, str(script)], env=environ, capture_output=True, text=True, timeout=60)
    said = [
        "none" if text is None else f"LD_LIBRARY_PATH={text}"
        for text in (trimmed_value, trimmed_value, value)
    ]
    assert done.stdout.split("\n")[:3] == said, done.stderr


def test_a_second_time_changes_the_folders_alone(environment: Path) -> None:
    text = (environment / "bin" / "activate").read_text()
    assert text.count(MARK) == 1
    again = {item.path: item.text for item in activation_files(("/other",), {"bin/activate": text})}
    assert again == {PATH: "/other\n", "bin/activate": text}


def test_a_script_of_another_form_is_left_alone() -> None:
    assert activation_files(("/a",), {"bin/activate": "export PATH=/a\n"}) == ()


def test_before_a_signature() -> None:
    text = (
        "function global:deactivate ([switch]$NonDestructive) {\r\n}\r\n# SIG # Begin signature block\r\n# x"
    )
    told = activation_files(("/a",), {"bin/Activate.ps1": text})[1].text
    assert told is not None
    assert told.index(MARK) < told.index("# SIG #")
    assert "\n" not in told.replace("\r\n", "")


def test_the_variable_in_words() -> None:
    assert trimmed(VALUE, GONE) == KEPT
    assert list(spellings("/a/:/b:/a", ("/a",))) == ["/a/", "/a"]
