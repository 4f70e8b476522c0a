"""Builds of environments from the tiny world, and folders in a form that can be compared."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from dlsetup.act.copying import LINKED_FROM
from dlsetup.act.environment import UvBuild, uv_runner
from dlsetup.act.journal import Journal
from dlsetup.act.uv import find_uv
from dlsetup.act.workplace import place_for
from dlsetup.model.outcome import Passport
from dlsetup.model.resolution import Plan
from dlsetup.plan.environment import Means

BIG = LINKED_FROM + 10


class Trees:
    """Looks at folders to the byte."""

    def look(self, folder: Path) -> dict[str, tuple[object, ...]]:
        """Every entry by its path: kind, mode, modification time and content."""
        return {str(path.relative_to(folder)): _about(path) for path in [folder, *sorted(folder.rglob("*"))]}


def _about(path: Path) -> tuple[object, ...]:
    about = path.lstat()
    if path.is_symlink():
        return "link", os.readlink(path)
    if path.is_dir():
        return "folder", about.st_mode, about.st_mtime_ns
    return "file", about.st_mode, about.st_mtime_ns, path.read_bytes()


@pytest.fixture
def trees() -> Trees:
    return Trees()


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A folder that looks like an environment, with a big file, a link and a name that is no text."""
    folder = tmp_path / "here" / "an env $(x)"
    (folder / "lib").mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.11\n")
    (folder / "lib" / "big.so").write_bytes(b"b" * BIG)
    (folder / "lib" / "small.py").write_text("one = 1\n")
    Path(os.fsdecode(os.fsencode(folder / "lib") + b"/odd\xff.txt")).touch()
    (folder / "lib64").symlink_to("lib")
    (folder / "locked").mkdir(mode=0o500)
    os.utime(folder / "lib" / "small.py", ns=(1_000, 1_700_000_000_000_000_123))
    return folder


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "state")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder in which environments are built; nothing else is in it."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def uv_build(home: Path, tiny_environ: dict[str, str]) -> Callable[..., UvBuild]:
    """`uv_build(plan, name)`: a build by the real uv."""

    def make(plan: Plan, name: str = "demo", **means: object) -> UvBuild:
        chosen = Means(uv=find_uv(tiny_environ), **means)  # type: ignore[arg-type]
        passport = Passport(dlsetup="test", tool=chosen.tool, plan=plan)
        place = place_for(name, str(home))
        return UvBuild(plan, place, chosen, passport, uv_runner(tiny_environ, seen=False))

    return make
