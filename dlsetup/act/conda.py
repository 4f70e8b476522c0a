"""The conda tool of this machine."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path

from dlsetup.act.child import Finished, run
from dlsetup.act.uv import NoSolution
from dlsetup.model.errors import StepFailed, ToolMissing
from dlsetup.model.steps import Run
from dlsetup.plan.conda import TOOLS, CondaTool

_OWN_VARIABLES = {"MAMBA_EXE": ("micromamba", "mamba"), "CONDA_EXE": ("conda",)}
"""What the shell hooks of the tools set, since they are often functions and not on PATH."""


_NO_SOLUTION = r"Could not solve|[Uu]nsatisfiable|PackagesNotFound|nothing provides|solver_problems"
_OF_CREATION = (
    "conda-forge may lack a release of the plan: ask for an older one, or leave `--with conda` out."
)


def find_conda(environ: Mapping[str, str], names: Collection[str] = TOOLS) -> CondaTool | None:
    """The first of these that is there; None if none is."""
    for name in names:
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


def tool_to_mend(environ: Mapping[str, str]) -> CondaTool:
    """A tool that changes any environment. Raises `ToolMissing`: pixi knows only those of its workspaces."""
    found = find_conda(environ, [name for name in TOOLS if name != "pixi"])
    if found is None:
        raise ToolMissing(
            "none of micromamba, mamba and conda is on PATH, and only they change what conda installed.",
            hint="install one of them, or put the one that made the environment on PATH.",
        )
    return found


def on_paper(prefix: Path, folder: Path, without: Collection[str]) -> Path:
    """An environment of records alone, without these packages: enough for a tool to say what it would do.

    Raises `StepFailed`.
    """
    paper = folder / "on-paper"
    records = paper / "conda-meta"
    try:
        records.mkdir(parents=True)
        for path in (prefix / "conda-meta").iterdir():
            name = path.name.removesuffix(".json").rsplit("-", 2)[0]
            if path.name in ("history", "pinned") or (path.suffix == ".json" and name not in without):
                shutil.copyfile(path, records / path.name)
        if without:
            with (records / "history").open("a", encoding="utf-8") as history:
                specs = json.dumps(list(without))
                history.write(f"==> 2000-01-01 00:00:00 <==\n# remove specs: {specs}\n")
    except OSError as error:
        raise StepFailed(f"`{error.filename}` cannot be read: {error.strerror}.") from error
    return paper


def run_conda(
    step: Run, environ: Mapping[str, str], *, seen: bool, holds_turn: bool = False, hint: str = _OF_CREATION
) -> None:
    """Raises `StepFailed` with the end of what the tool said. `holds_turn`: as of `child.run`."""
    finished = run(step.argv, {**environ, **dict(step.env)}, seen=seen, holds_turn=holds_turn)
    if not finished.ok:
        raise StepFailed(_failure(step, finished), hint=hint)


def ask_conda(step: Run, environ: Mapping[str, str]) -> str:
    """What the tool prints of what it would do.

    Raises `NoSolution` where the channels lack what is needed, `StepFailed` for any other failure.
    """
    finished = run(step.argv, {**environ, **dict(step.env)})
    if finished.ok:
        return finished.out
    if re.search(_NO_SOLUTION, finished.err + finished.out):
        raise NoSolution(_failure(step, finished), hint="the channels lack what is needed.")
    raise StepFailed(
        _failure(step, finished), hint="nothing was changed; see whether the channels are reached."
    )


def _failure(step: Run, finished: Finished) -> str:
    lines = [line.strip() for line in (finished.err or finished.out).splitlines() if line.strip()]
    said = ": " + " ".join(lines[-12:])[-1500:] if lines else "; what it said stands above."
    return f"`{step.argv[0]}` {finished.end}{said}"
