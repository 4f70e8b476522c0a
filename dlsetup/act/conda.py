"""The conda tool of this machine."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping

from dlsetup.act.child import run
from dlsetup.model.errors import StepFailed, ToolMissing
from dlsetup.model.steps import Run
from dlsetup.plan.conda import TOOLS, CondaTool

_OWN_VARIABLES = {"MAMBA_EXE": ("micromamba", "mamba"), "CONDA_EXE": ("conda",)}
"""What the shell hooks of the tools set, since they are often functions and not on PATH."""


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
        hint="pip install 'dlsetup[conda]' brings an own solver and installer; or install one of them; "
        "`--dry-run` shows the `environment.yml` for a machine that has one.",
    )


def run_conda(step: Run, environ: Mapping[str, str], *, seen: bool) -> None:
    """Raises `StepFailed` with the end of what the tool said."""
    finished = run(step.argv, {**environ, **dict(step.env)}, seen=seen)
    if finished.ok:
        return
    lines = [line.strip() for line in (finished.err or finished.out).splitlines() if line.strip()]
    said = ": " + " ".join(lines[-12:])[-1500:] if lines else "; what it said stands above."
    raise StepFailed(
        f"`{step.argv[0]}` {finished.end}{said}",
        hint="conda-forge may lack a release of the plan: ask for an older one, or leave `--with conda` out.",
    )
