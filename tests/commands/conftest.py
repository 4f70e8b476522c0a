"""The real command line, in a folder of its own, with the tiny indexes as its only world."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny.broken import Broken, Fix, make_broken
from tiny.command import MAKERS, Command
from tiny.conda import CondaWorld, make_channel, make_world
from tiny.index import TinyIndex


@pytest.fixture
def command(tmp_path: Path, tiny_environ: dict[str, str]) -> Command:
    home = tmp_path / "home"
    home.mkdir()
    environ = {**tiny_environ, "HOME": str(tmp_path / "user"), "PYTHONDONTWRITEBYTECODE": "1"}
    known = [str(Path(__file__).parents[2]), environ.get("PYTHONPATH")]
    environ["PYTHONPATH"] = os.pathsep.join(filter(None, known))
    for name in ("MAMBA_EXE", "CONDA_EXE", "CONDA_PREFIX", "PYENV_VERSION"):
        environ.pop(name, None)
    return Command(home, environ)


@pytest.fixture
def stocked(command: Command, tiny_index: TinyIndex) -> Callable[..., dict[str, Any]]:
    """Puts tiny wheels on the indexes for exactly what the command would choose. Gives that plan."""

    def stock(*words: str) -> dict[str, Any]:
        document = command.json("stock", *words, "--dry-run")
        assert document["ok"], document
        plan: dict[str, Any] = document["plan"]
        for pick in plan["picks"]:
            local = "+cpu" if pick["requirement"].endswith("+cpu") else ""
            tiny_index.add(pick["index"], MAKERS[pick["framework"]](pick["version"] + local))
            if pick["index"] != "default":
                command.indexes += ["--index", f"{pick['index']}={tiny_index.address(pick['index'])}"]
        return plan

    return stock


@pytest.fixture
def terminal() -> tuple[int, int]:
    """A terminal: the end that a person types into and the end that a program reads; the test closes both."""
    pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
    try:
        return pty.openpty()
    except OSError as exc:
        pytest.skip(f"this machine hands out no pseudo-terminal: {exc}")


@pytest.fixture
def broken(tmp_path: Path, tiny_environ: dict[str, str]) -> Broken:
    """An empty environment to break, in a folder whose name a shell would act on."""
    if sys.version_info < (3, 11):
        pytest.skip("the releases that these environments hold need Python 3.11")
    return make_broken(tmp_path / "envs" / "my $(env)", tiny_environ)


@pytest.fixture
def fix(command: Command, broken: Broken, tiny_index: TinyIndex) -> Fix:
    """`dlsetup fix` on the broken environment."""
    for name in ("pytorch-cu126", "pytorch-cpu"):
        command.indexes += ["--index", f"{name}={tiny_index.address(name)}"]
    return Fix(command, broken)


@pytest.fixture(scope="session")
def channel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A conda channel of tiny packages."""
    pytest.importorskip("rattler", reason="there is no wheel of py-rattler for this Python")
    return make_channel(tmp_path_factory.mktemp("conda") / "channel")


@pytest.fixture
def conda(tmp_path: Path, channel: Path, fix: Fix) -> CondaWorld:
    """An environment of conda, which `fix` is about."""
    world = make_world(tmp_path, channel, fix.command.environ)
    fix.broken = world.broken
    return world
