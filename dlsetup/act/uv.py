"""uv: where it is, what it must not be told by the environment, and what its refusals mean."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import PurePath

from packaging.version import Version

from dlsetup.act.child import Finished, run
from dlsetup.catalog.watch import ByteWatch
from dlsetup.model.errors import StepFailed, ToolMissing

_DECIDED_BY_THE_PLAN = ("UV_TORCH_BACKEND", "UV_VENV_CLEAR", "UV_VENV_SEED", "UV_SYSTEM_PYTHON")
"""Variables that would make uv build something else than the plan says."""


Watched = Callable[[], AbstractContextManager[ByteWatch]]
"""Begins to show how far files are, and ends it."""


class PythonUnavailable(StepFailed):
    """The Python of the plan is not on this machine and uv cannot fetch it."""

    code = "python-unavailable"


class NoSolution(StepFailed):
    """Nothing that the indexes hold fulfils all requirements: asking again would not help."""


def find_uv(environ: Mapping[str, str]) -> str:
    """The uv that came with dlsetup, else the one on PATH. Raises `ToolMissing`."""
    from shutil import which

    try:
        from uv import find_uv_bin

        return os.fspath(find_uv_bin())
    except (ImportError, FileNotFoundError):
        found = which("uv", path=environ.get("PATH"))
    if found is None:
        raise ToolMissing("uv is not there.", hint="install it with `python -m pip install uv`.")
    return found


def variables(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment uv is run in: the user's own configuration, without what the plan decides."""
    kept = {name: value for name, value in environ.items() if name not in _DECIDED_BY_THE_PLAN}
    features = [word for word in kept.get("UV_PREVIEW_FEATURES", "").split(",") if word]
    return {**kept, "UV_PREVIEW_FEATURES": ",".join(dict.fromkeys([*features, "pylock"]))}


def run_uv(
    argv: Sequence[str],
    environ: Mapping[str, str],
    *,
    seen: bool = False,
    watched: Watched | None = None,
    holds_turn: bool = False,
) -> Finished:
    """Run uv (`argv[0]` is its path). Raises `StepFailed` with its essential words.

    `seen`: uv shows its progress to the user, unless the call itself is `--quiet`; `watched`: somebody else
    shows it, where this system has terminals that a program can open. `holds_turn`: as of `child.run`.
    """
    loud = seen and "--quiet" not in argv
    finished = _drawn(argv, environ, watched) if loud and watched is not None else None
    finished = finished or run(argv, variables(environ), seen=loud, holds_turn=holds_turn)
    if not finished.ok:
        raise refusal(argv, finished)
    return finished


def _drawn(argv: Sequence[str], environ: Mapping[str, str], watched: Watched) -> Finished | None:
    """None where no terminal can be had."""
    from dlsetup.act.uv_progress import run_drawn

    try:
        with watched() as watch:
            return run_drawn(argv, variables(environ), watch)
    except (ImportError, OSError):
        return None


def may_fetch_pythons(environ: Mapping[str, str]) -> bool:
    """Whether the user lets uv fetch Pythons, as far as variables tell."""
    return environ.get("UV_PYTHON_DOWNLOADS") != "never" and not environ.get("UV_OFFLINE")


def fetchable_pythons(environ: Mapping[str, str], *, offline: bool = False) -> tuple[Version, ...]:
    """The Pythons that uv would fetch when one of them is asked for, newest first; none where it may not."""
    if offline or not may_fetch_pythons(environ):
        return ()
    return published_pythons(find_uv(environ), environ)


def published_pythons(uv: str, environ: Mapping[str, str]) -> tuple[Version, ...]:
    """The Pythons (major and minor) of which this uv knows a build, newest first."""
    argv = (uv, "python", "list", "--only-downloads", "--output-format", "json", "--no-cache")
    finished = run(argv, variables(environ))
    try:
        rows = json.loads(finished.out) if finished.ok else []
        versions = [Version(row["version"]) for row in rows if row["implementation"] == "cpython"]
    except (ValueError, KeyError, TypeError):
        return ()
    lines = {Version(f"{item.major}.{item.minor}") for item in versions if not item.is_prerelease}
    return tuple(sorted(lines, reverse=True))


def refusal(argv: Sequence[str], finished: Finished) -> StepFailed:
    """What uv's failure means, and what can be done about it."""
    words = essence(finished.err).rstrip(".")
    step = " ".join((PurePath(argv[0]).stem, *argv[1:3]))
    kind: type[StepFailed] = NoSolution if re.search(_NO_SOLUTION, words) else StepFailed
    fetching = tuple(argv[1:3]) == ("python", "install")
    if fetching or re.search(r"No interpreter found|python-build-standalone", words):
        kind = PythonUnavailable
        hint = "name a Python that is on this machine with `--python`."
    else:
        hint = next((text for pattern, text in _HINTS if re.search(pattern, words)), _ANY_HINT)
    if finished.code < 0:
        return StepFailed(f"`{step}` {finished.end}.", hint="run the command again; uv itself has crashed.")
    said = f"failed: {words}." if words else f"{finished.end}; what it said stands above."
    return kind(f"`{step}` {said}", hint=hint)


def essence(err: str, *, limit: int = 2000) -> str:
    """uv's error and its causes in one paragraph, without warnings, hints and the middle of long chains.

    error: Failed to download `numpy==2.1.0`
      cause: Hash mismatch for `numpy==2.1.0`
    """
    text = re.sub(r"\x1b\[[0-9;]*m", "", err)
    start = re.search(r"^\s*(?:error:|×)\s*", text, re.MULTILINE)
    text = text[start.end() :] if start else text
    text = re.split(r"^\s*hint:", text, maxsplit=1, flags=re.MULTILINE)[0]
    causes = re.split(r"^\s*(?:cause:|Caused by:|[╰├]─▶)", text, flags=re.MULTILINE)
    told = list(dict.fromkeys(" ".join(cause.split()).removesuffix(":") for cause in causes))
    chain = [cause for cause in told if cause]
    short = chain if len(chain) <= 3 else [*chain[:2], chain[-1]]
    return ": ".join(short)[:limit]


_NO_SOLUTION = r"No solution found|not found in the package registry"
_ANY_HINT = "`--dry-run` shows the steps, to run them one by one."
_GOES_ON = "Files that have come whole stay in uv's cache: the same command goes on from there."
_HINTS = (
    (r"network was disabled|not found in the cache|offline", "run it once without `--offline`."),
    (
        r"[Hh]ash mismatch",
        "the index announces another file than it serves: try again later, and if it stays so, do not "
        "trust it.",
    ),
    (
        r"end of file before|error decoding response|[Cc]onnection (was )?(reset|closed)|[Bb]roken pipe",
        f"the network was lost in the middle. {_GOES_ON}",
    ),
    (
        r"dns error|error sending request|Connect|timed? ?out|Failed to fetch|Request failed|tls|certificate",
        "check the network and the address of the index; `--index NAME=URL` names another one for an index "
        "of the plan, as in `--index pytorch-cpu=URL` or `--index default=URL`, and "
        "uv's own configuration holds (`UV_DEFAULT_INDEX`, `uv.toml`, `HTTPS_PROXY`, `SSL_CERT_FILE`). "
        + _GOES_ON,
    ),
    (r"No space left", "free some space, or move uv's cache with `UV_CACHE_DIR`."),
    (r"Permission denied|Read-only", "choose a folder that you may write to."),
    (
        _NO_SOLUTION,
        "the index of this machine lacks a package of the plan, or two packages exclude each other: ask "
        "for other versions, or name another index with `--index`.",
    ),
)
