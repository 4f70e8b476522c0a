"""Watches the real loader: a child of the environment opens the files of a framework, and it is traced."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from dlsetup.model import codec
from dlsetup.model.libraries import Observed, Seen
from dlsetup.model.loading import LoaderSettings, LoadStep
from dlsetup.probe.host import Host
from dlsetup.probe.notes import printable
from dlsetup.verify.loader_trace import searches

CHILD = Path(__file__).with_name("loader_child.py")
SECONDS = 60
GRACE = 5.0
TRACE_LIMIT = 64 << 20
HEAD = 20


def observe(
    host: Host,
    python: str,
    settings: LoaderSettings,
    program: str,
    steps: Iterable[LoadStep] = (),
    *,
    major: int | None = None,
    names: Iterable[str] = (),
) -> Observed:
    """What the loader does with these steps, or with bare `names` that a program opens.

    The libraries are really loaded, in a process of their own with a deadline; no framework is imported. What
    a library would ask for later is not seen. Never raises: a child that says nothing leaves a gap.
    """
    if host.root or settings.libc != "glibc":
        return Observed(
            program=program, gap="only the loader of glibc on this very machine tells what it does"
        )
    asked = {
        "sites": list(settings.sites),
        "major": major,
        "steps": codec.plain(tuple(steps)),
        "names": list(names),
    }
    with tempfile.TemporaryDirectory(prefix="dlsetup-loader-") as folder:
        outcome = host.run(
            [python, "-I", str(CHILD), json.dumps(asked), str(SECONDS)],
            SECONDS + GRACE,
            LD_DEBUG="libs",
            LD_DEBUG_OUTPUT=f"{folder}/trace",
        )
        trace = _trace(Path(folder))
    seen = tuple(taken(item, python) for item in searches(trace))
    try:
        told = json.loads(outcome.out)
        mapped = tuple(str(item) for item in told["mapped"])
        return Observed(program=program, seen=seen, mapped=mapped, failure=str(told["failure"]))
    except (ValueError, TypeError, KeyError):
        reason = outcome.reason or f"it ended with {outcome.code}: {outcome.err[-200:]}"
        return Observed(program=program, seen=seen, gap=printable(reason))


def _trace(folder: Path) -> str:
    """What the loader of the child wrote; of its own children nothing."""
    written = sorted(folder.iterdir(), key=lambda path: int(path.suffix[1:] or 0))
    if not written:
        return ""
    with written[0].open("rb") as file:
        return file.read(TRACE_LIMIT).decode("utf-8", "replace")


def taken(seen: Seen, python: str) -> Seen:
    """The search without its last try, where that is no file for this processor."""
    try:
        with open(seen.path, "rb") as file, open(python, "rb") as own:
            head, mine = file.read(HEAD), own.read(HEAD)
    except (OSError, ValueError):
        return replace(seen, path="")
    other = len(head) == HEAD and head[:4] == mine[:4] and (head[4], head[18:]) != (mine[4], mine[18:])
    return replace(seen, path="") if other else seen
