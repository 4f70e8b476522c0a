"""Builds of environments from the tiny world, and folders in a form that can be compared."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from dlsetup.act.environment import UvBuild, uv_runner
from dlsetup.act.uv import find_uv
from dlsetup.act.workplace import place_for
from dlsetup.model.outcome import Passport
from dlsetup.model.resolution import Plan
from dlsetup.plan.environment import Means


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
