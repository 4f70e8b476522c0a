"""What uv says of a repair, and uv at work on the copy of an environment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from dlsetup.act.carry_out import carry_out, write
from dlsetup.act.child import run
from dlsetup.act.conda import run_conda
from dlsetup.act.copying import links_possible
from dlsetup.act.environment import uv_runner
from dlsetup.act.uv import run_uv, variables
from dlsetup.model.steps import Run, Step, Write

_COPYING = ("copy", "symlink")


def answer(steps: Iterable[Step], environ: Mapping[str, str]) -> str:
    """What the last program of the steps prints. Raises `StepFailed` with uv's essential words."""
    said = ""
    for step in steps:
        if isinstance(step, Write):
            write(step)
        elif isinstance(step, Run):
            said = run_uv(step.argv, environ).out
    return said


def mend(steps: Iterable[Step], environ: Mapping[str, str], *, seen: bool) -> Iterator[Step]:
    """Yields each step, then does it. `seen`: the user watches uv's progress."""
    return carry_out(steps, uv_runner(environ, seen=seen))


def mend_in_place(
    steps: Iterable[Step], environ: Mapping[str, str], conda: str | None, *, seen: bool
) -> Iterator[Step]:
    """The same at the place of the environment, by uv and, if it takes part, the conda tool at that path.

    Should we be killed, nobody gives the place back before they have ended too.
    """

    def run_either(step: Run) -> None:
        if step.argv[0] == conda:
            run_conda(step, environ, seen=seen, holds_turn=True, hint="the environment is as it was.")
        else:
            run_uv(step.argv, {**environ, **dict(step.env)}, seen=seen, holds_turn=True)

    return carry_out(steps, run_either)


def unmet(uv: str, python: str, environ: Mapping[str, str]) -> frozenset[str]:
    """Requirements of installed distributions that are not met, as uv says it."""
    done = run((uv, "pip", "check", "--quiet", "--python", python), variables(environ))
    return frozenset(line.strip() for line in done.err.splitlines() if line.startswith("The package"))


def may_link(uv: str, environment: Path, environ: Mapping[str, str]) -> bool:
    """Whether a copy may share big files: uv then never writes onto a file that is there."""
    if environ.get("UV_LINK_MODE") in _COPYING:
        return False
    cache = run_uv((uv, "cache", "dir"), environ).out.strip()
    return links_possible(environment, Path(cache) if cache else None)
