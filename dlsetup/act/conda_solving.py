"""Solves for any target without installing: by the embedded solver, else by a tool that tells addresses."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from dlsetup.act.carry_out import carry_out, write
from dlsetup.act.conda import ask_conda, find_conda
from dlsetup.act.rattler import embedded, find_rattler, run_rattler, solution_at
from dlsetup.model.conda import CondaSolution, CondaWish
from dlsetup.model.errors import ToolMissing
from dlsetup.model.steps import Write
from dlsetup.plan.conda import CondaTool, wish_text
from dlsetup.plan.conda_platform import CondaPlatform
from dlsetup.plan.conda_steps import paper_step, read_conda_solution
from dlsetup.plan.environment import Place
from dlsetup.plan.rattler import Embedded, job_of, solving_steps

Solve = Callable[[CondaWish, CondaPlatform], CondaSolution]
"""Raises `CondaRefusal` or `NoSolution` where the channels lack something, else `StepFailed`."""
TELLING = ("micromamba", "mamba")
"""Tools that say address and hash of what they would install."""


def solver(environ: Mapping[str, str], uv: str, *, offline: bool, seen: bool) -> Solve:
    """Raises `ToolMissing` where there is none."""
    if find_rattler() is not None:
        means = embedded(environ, uv, offline=offline, seen=seen)
        return partial(_by_rattler, means=means, environ=environ)
    tool = find_conda(environ, TELLING)
    if tool is not None:
        return partial(_by_tool, tool=tool, environ=environ, offline=offline)
    raise _missing(find_conda(environ))


def _missing(other: CondaTool | None) -> ToolMissing:
    told = f", and {other.name} does not say the hashes of what it would install" if other else ""
    return ToolMissing(
        f"nothing here solves for conda's packages: neither py-rattler nor micromamba nor mamba{told}.",
        hint="pip install 'dlsetup[conda]' brings one; `--form conda` writes `environment.yml`, unsolved.",
    )


def _by_rattler(
    wish: CondaWish, platform: CondaPlatform, means: Embedded, environ: Mapping[str, str]
) -> CondaSolution:
    with _folder() as folder:
        place = Place(final=f"{folder}/environment", work=f"{folder}/work")
        job = job_of(wish, platform, place, means)
        Path(job.answer).parent.mkdir(parents=True)
        steps = solving_steps(job, place, means)
        list(carry_out(steps, partial(run_rattler, environ=environ, seen=means.seen)))
        return solution_at(job.answer)


def _by_tool(
    wish: CondaWish, platform: CondaPlatform, tool: CondaTool, environ: Mapping[str, str], offline: bool
) -> CondaSolution:
    with _folder() as folder:
        file = f"{folder}/environment.yml"
        write(Write(path=file, text=wish_text(wish), why="say what is wanted"))
        step = paper_step(tool.path, file, f"{folder}/environment", platform, offline=offline)
        return read_conda_solution(ask_conda(step, environ), platform)


def _folder() -> AbstractContextManager[str]:
    return tempfile.TemporaryDirectory(prefix="dlsetup-")
