"""The installer that a report shows is the one that remedies use."""

from __future__ import annotations

import shlex

import pytest
from judge_machines import dist, environment, machine
from msgspec.structs import replace

from dlsetup.judge.commands import install, uninstall
from dlsetup.judge.scene import Scene
from dlsetup.model.framework import Catalog
from dlsetup.model.report import Command, Report

CU126 = "https://download.pytorch.org/whl/cu126"


def told(*lines: str, path: str = "") -> Scene:
    """A report of one environment and the commands that it shows."""
    commands = tuple(Command(words=tuple(shlex.split(text)), source="a.txt:1") for text in lines)
    base = machine(environments=(environment(dist("pip", "25.0"), path=path),))
    return Scene.of(replace(base, report=Report(commands=commands, lines=9)), Catalog())


@pytest.mark.parametrize(
    ("shown", "command"),
    [
        ("pip install torch", "python -m pip install numpy"),
        ("pip3 install torch", "python3 -m pip install numpy"),
        ("pip3.11 install torch", "python3.11 -m pip install numpy"),
        ("py -3.10 -m pip install torch", "py -3.10 -m pip install numpy"),
        ("/srv/env/bin/pip install torch", "/srv/env/bin/python -m pip install numpy"),
        ("python3.9 -m pip install torch", "python3.9 -m pip install numpy"),
        ("uv pip install torch", "uv pip install numpy"),
        ("conda run -n dl pip install torch", "conda run -n dl python -m pip install numpy"),
        ("conda install pytorch", "python -m pip install numpy"),
        ("docker exec box pip install torch", "python -m pip install numpy"),
    ],
)
def test_the_last_install_of_the_report_names_it(shown: str, command: str) -> None:
    assert install(told("echo hello", shown), ["numpy"]) == (command,)


def test_a_path_that_is_known_says_more_than_a_bare_pip() -> None:
    scene = told("pip install torch", path="/opt/env")
    assert install(scene, ["numpy"]) == ("/opt/env/bin/python -m pip install numpy",)


@pytest.mark.parametrize(
    ("shown", "command"),
    [
        (
            "uv tool install 'tracker[gpu]'",
            f"uv tool install 'tracker[gpu]' --reinstall --index {CU126} --with torch==2.8.0+cu126",
        ),
        (
            "pipx install tracker[gpu]==1.0",
            f"pipx runpip tracker install --force-reinstall --index-url {CU126} torch==2.8.0+cu126",
        ),
    ],
)
def test_a_program_with_an_environment_of_its_own_is_installed_again(shown: str, command: str) -> None:
    scene = told(shown)
    assert install(scene, ["torch==2.8.0+cu126"], index=CU126) == (command,)
    assert uninstall(scene, ["torch"]) == ()
    assert install(told(shown, "pip install numpy"), ["torch"])[0].startswith("python -m pip install")
