"""The conda tool of this machine."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping

from dlsetup.act.child import Finished, run
from dlsetup.act.uv import NoSolution
from dlsetup.model.errors import StepFailed, ToolMissing
from dlsetup.model.steps import Run
from dlsetup.plan.conda import TOOLS, CondaTool

_OWN_VARIABLES = {"MAMBA_EXE": ("micromamba", "mamba"), "CONDA_EXE": ("conda",)}
"""What the shell hooks of the tools set, since they are often functions and not on PATH."""


_OF_CREATION = (
    "conda-forge may lack a release of the plan: ask for an older one, or leave `--with conda` out."
)


def find_conda(environ: Mapping[str, str]) -> CondaTool | None:
    """The first of micromamba, mamba, conda and pixi; None if there is none."""
    for name in TOOLS:
        path = shutil.which(name, path=environ.get("PATH", ""))
        for variable, names in _OWN_VARIABLES.items():
            told = environ.get(variable, "")
            if path is None and name in names and re.split(r"[/\\]", told)[-1].removesuffix(".exe") == name:
                path = shutil.which(told)
        if path is not None:
            return CondaTool(name=name, path=path)
    return None


def missing() -> ToolMissing:
    """There is no conda tool, but every one of them takes the same file."""
    return ToolMissing(
        "none of micromamba, mamba, conda and pixi is on PATH.",
        hint="install one of them; `--dry-run` shows the `environment.yml` for a machine that has one.",
    )


def run_conda(
    step: Run, environ: Mapping[str, str], *, seen: bool, holds_turn: bool = False, hint: str = _OF_CREATION
) -> None:
    """Raises `StepFailed` with the end of what the tool said. `holds_turn`: as of `child.run`."""
    finished = run(step.argv, {**environ, **dict(step.env)}, seen=seen, holds_turn=holds_turn)
    if not finished.ok:
        raise StepFailed(_failure(step, finished), hint=hint)


def ask_conda(step: Run, environ: Mapping[str, str]) -> str:
    """What the tool prints of what it would do. Raises `NoSolution` with the end of what it said."""
    finished = run(step.argv, {**environ, **dict(step.env)})
    if not finished.ok:
        raise NoSolution(_failure(step, finished), hint="the channels lack what is needed.")
    return finished.out


def _failure(step: Run, finished: Finished) -> str:
    lines = [line.strip() for line in (finished.err or finished.out).splitlines() if line.strip()]
    said = ": " + " ".join(lines[-12:])[-1500:] if lines else "; what it said stands above."
    return f"`{step.argv[0]}` {finished.end}{said}"
