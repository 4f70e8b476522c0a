"""Builds of environments from the tiny world."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dlsetup.act.environment import UvBuild, uv_runner
from dlsetup.act.uv import find_uv
from dlsetup.act.workplace import place_for
from dlsetup.model.outcome import Passport
from dlsetup.model.resolution import Plan
from dlsetup.plan.environment import Means


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
