"""uv's word on a set of requirements, and on a plan as `create env` has it locked."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from dlsetup.act.pip_configuration import from_pip
from dlsetup.act.uv import essence, find_uv, variables
from dlsetup.model.resolution import Plan
from dlsetup.model.steps import Run, Write
from dlsetup.model.target import Target
from dlsetup.plan.environment import Means, Place, lock_steps
from dlsetup.plan.uv_platform import uv_platform

LONGEST = 900
"""Seconds that uv may take for one question."""
FETCHED_FROM_NVIDIA = tuple(f"tensorrt-cu{major}{part}" for major in (11, 12, 13) for part in ("", "-libs"))
"""Sources that fetch a wheel from NVIDIA's index while they are built; uv is told what the libraries are."""


class Answer(NamedTuple):
    locks: bool
    words: str = ""
    """Why not, in uv's own words."""


class Uv:
    """uv with the index that it is configured with, and a cache of its own that outlives the run."""

    def __init__(self, cache: Path, *, offline: bool = False) -> None:
        self.path = find_uv(os.environ)
        self.offline = offline
        told = {
            "UV_CACHE_DIR": str(cache / "uv"),
            "UV_PYTHON_DOWNLOADS": "never",
            "XDG_CONFIG_HOME": str(cache / "config"),
        }
        self.environ = variables({**os.environ, **from_pip(self.path, os.environ), **told})
        _write_settings(cache / "config" / "uv" / "uv.toml")

    def compiles(self, requirements: Sequence[str], python: str, target: Target) -> Answer:
        """Whether wheels exist that satisfy all requirements, and theirs, and so on."""
        built = (*FETCHED_FROM_NVIDIA, *(() if _old_tensorrt(requirements) else ("tensorrt",)))
        wheels = (word for name in built for word in ("--no-binary", name))
        return self._compiles(requirements, python, target, "--only-binary", ":all:", *wheels)

    def compiles_flat(
        self, requirements: Sequence[str], ready: Sequence[str], python: str, target: Target
    ) -> Answer:
        """The same without what the requirements require; only what is `ready` needs a wheel."""
        names = (canonicalize_name(Requirement(text).name) for text in ready)
        wheels = (
            word for name in names if name not in FETCHED_FROM_NVIDIA for word in ("--only-binary", name)
        )
        return self._compiles((*ready, *requirements), python, target, "--no-deps", *wheels)

    def _compiles(self, requirements: Sequence[str], python: str, target: Target, *options: str) -> Answer:
        platform = uv_platform(target) or ""
        # uv takes 3.8 for 3.8.0; what is meant is its newest patch release.
        words = ("--python-version", f"{python}.99", "--python-platform", platform, "--no-header", *options)
        command = (self.path, "pip", "compile", "--quiet", *words, "-")
        return self._cached_or_fresh(command, "\n".join(requirements))

    def locks(self, plan: Plan) -> Answer:
        """Whether the steps of `create env` for a machine elsewhere lead to a lock."""
        with tempfile.TemporaryDirectory() as folder:
            place = Place(final=f"{folder}/env", work=f"{folder}/env")
            answer = Answer(locks=True)
            for step in lock_steps(plan, place, Means(uv=self.path, foreign=True)):
                if isinstance(step, Write):
                    Path(step.path).parent.mkdir(parents=True, exist_ok=True)
                    Path(step.path).write_text(step.text, encoding="utf-8")
                elif isinstance(step, Run):
                    answer = self._cached_or_fresh(step.argv, environ=dict(step.env))
            return answer

    def _cached_or_fresh(
        self, command: Sequence[str], given: str = "", environ: Mapping[str, str] | None = None
    ) -> Answer:
        """Out of the cache where that is enough for a lock: a refusal may mean that something is missing."""
        cached = self._run((*command, "--offline"), given, environ or {})
        return cached if cached.locks or self.offline else self._run(command, given, environ or {})

    def _run(self, command: Sequence[str], given: str, environ: Mapping[str, str]) -> Answer:
        finished = subprocess.run(
            command,
            input=given,
            capture_output=True,
            text=True,
            env={**self.environ, **environ},
            cwd=tempfile.gettempdir(),
            timeout=LONGEST,
            check=False,
        )
        return Answer(finished.returncode == 0, "" if finished.returncode == 0 else essence(finished.stderr))


def _old_tensorrt(requirements: Sequence[str]) -> bool:
    """Its last release with a wheel is 8.6.0; later ones are sources."""
    return any(text.startswith("tensorrt==8.") for text in requirements)


def _write_settings(path: Path) -> None:
    """The user's own settings of uv, and what it cannot learn without NVIDIA's index."""
    own = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "uv" / "uv.toml"
    lines = [own.read_text(encoding="utf-8") if own.is_file() else ""]
    for name in FETCHED_FROM_NVIDIA:
        if name.endswith("-libs"):
            lines += ["[[dependency-metadata]]", f'name = "{name}"', "requires-dist = []", ""]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines), encoding="utf-8")
