"""The embedded solver and installer of conda packages, in a child that can be ended at any time."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from dlsetup.act.child import run
from dlsetup.act.conda_channels import channels
from dlsetup.model import codec
from dlsetup.model.conda import CondaSolution
from dlsetup.model.errors import DataError, StepFailed, ToolMissing
from dlsetup.model.record import Unknown
from dlsetup.model.steps import Run
from dlsetup.plan.rattler import Answer, Embedded, Job, Refusal

T = TypeVar("T")
CHILD = str(Path(__file__).with_name("rattler_child.py"))
_LONGEST = 1500


class CondaRefusal(StepFailed):
    """The solver finds no environment for what is asked of conda-forge."""

    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal
        super().__init__(
            f"conda-forge has no environment for this: {_words(refusal)}",
            hint="ask for another release, Python or CUDA, or leave `--with` out: wheels may do.",
        )


def find_rattler() -> str | None:
    """The folder that holds the library; None where it is not installed."""
    try:
        found = importlib.util.find_spec("rattler")
    except (ImportError, ValueError):
        return None
    return None if found is None or found.origin is None else str(Path(found.origin).parents[1])


def rattler_missing() -> ToolMissing:
    return ToolMissing(
        "the embedded solver for conda packages is not installed.", hint="pip install 'dlsetup[conda]'"
    )


def embedded(environ: Mapping[str, str], uv: str, *, offline: bool, seen: bool) -> Embedded:
    """How the child is called here. Raises `ToolMissing` where the library is not installed."""
    library = find_rattler()
    if library is None:
        raise rattler_missing()
    return Embedded(
        python=sys.executable,
        child=CHILD,
        library=library,
        cache=_cache(environ),
        channels=channels(environ),
        uv=uv,
        offline=offline,
        seen=seen,
    )


def run_rattler(step: Run, environ: Mapping[str, str], *, seen: bool) -> None:
    """One call of the child. Raises `CondaRefusal`, or `StepFailed` with what it says of its failure."""
    job = _read(Path(step.argv[-1]), Job)
    answer = Path(job.answer)
    answer.unlink(missing_ok=True)
    finished = run(step.argv, {**environ, **dict(step.env)}, seen=seen)
    if not finished.ok or not answer.exists():
        lines = [line.strip() for line in (finished.err or finished.out).splitlines() if line.strip()]
        said = f": {' '.join(lines[-3:])[-_LONGEST:]}" if lines else ""
        raise StepFailed(f"the embedded solver {finished.end}{said}.", hint="another release of it may do.")
    found = _read(answer, Answer)
    if not isinstance(found.refusal, Unknown):
        raise CondaRefusal(found.refusal)
    if found.failure:
        told = " ".join(found.failure.split())[:_LONGEST].rstrip(".")
        raise StepFailed(
            f"{'solving' if 'solve' in step.argv else 'installing'} conda packages failed: {told}.",
            hint="`--offline` needs what an earlier build has cached; CONDA_CHANNELS names a mirror.",
        )


def solution_at(path: str) -> CondaSolution:
    """What a solve has found. Raises `DataError` where there is none."""
    found = _read(Path(path), Answer).solution
    if isinstance(found, Unknown):
        raise DataError(f"{path}: no solution")
    return found


def _read(path: Path, form: type[T]) -> T:
    return codec.decode(path.read_bytes(), form, where=str(path))


def _words(refusal: Refusal) -> str:
    said = " ".join(refusal.said.replace("Cannot solve the request because of:", "").split())
    none = [name for name, versions in refusal.offered if not versions]
    there = [f"{name} {', '.join(versions)}" for name, versions in refusal.offered if versions]
    lacking = f" It has no {' and no '.join(none)} for this platform." if none else ""
    offers = f" Its newest: {'; '.join(there)}." if there else ""
    return f"{said[:_LONGEST].rstrip('.')}.{lacking}{offers}"


def _cache(environ: Mapping[str, str]) -> str:
    """Where the library keeps what it has fetched, unless it is told."""
    told = environ.get("RATTLER_CACHE_DIR")
    if told:
        return os.path.abspath(told)
    from platformdirs import user_cache_path

    return str(user_cache_path("rattler", appauthor=False, opinion=False) / "cache")
