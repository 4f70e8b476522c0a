"""Proof that an environment works: every framework is imported, looks for devices and computes.

What has to run, runs in a child of the environment with a deadline, never in this process.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from dlsetup.model.outcome import Expected, Outcome
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.probe.programs import Outcome as Ended

PROGRAMS = Path(__file__).parent
"""The folder with all that runs in children."""
CHILD = str(PROGRAMS / "child.py")
DEADLINE = 300.0
"""Seconds for one framework: a first import compiles byte code and may load gigabytes from a slow disk."""
_LONGEST = 600


class Runner(Protocol):
    """Where the children run: a host, or an image."""

    def run(self, argv: Sequence[str], deadline: float) -> Ended:
        """Runs a program for at most so many seconds."""


def verify(
    host: Runner,
    python: str,
    expected: Iterable[Expected],
    *,
    gpu_here: bool = True,
    deadline: float = DEADLINE,
) -> tuple[Outcome, ...]:
    """What each framework did under that Python, one after the other: they share the GPU's memory.

    A framework that was built for a GPU and computes on the CPU has failed; where the environment is made
    for another machine (`gpu_here` false), it has not, and the outcome says so.
    """
    return tuple(_outcome(host, python, item, gpu_here, deadline) for item in expected)


def _outcome(host: Runner, python: str, item: Expected, gpu_here: bool, deadline: float) -> Outcome:
    argv = (python, "-I", CHILD, item.module, str(int(deadline) + 5))
    ended = host.run(argv, deadline)
    seen = _answer(ended.out)
    if seen is None:
        return Outcome(framework=item.framework, ok=False, because=_silence(item, ended))
    outcome = Outcome(
        framework=item.framework,
        ok=not seen.get("error"),
        version=_text(seen, "version"),
        devices=_devices(seen),
        device=_text(seen, "device"),
        seconds=seen["seconds"] if isinstance(seen.get("seconds"), float) else UNKNOWN,
        because=_short(str(seen.get("error", ""))),
    )
    return _with_accelerator(outcome, item, _short(str(seen.get("remark", ""))), gpu_here)


def _with_accelerator(outcome: Outcome, item: Expected, remark: str, gpu_here: bool) -> Outcome:
    """Holds where it computed against what the build was chosen for."""
    from msgspec.structs import replace

    wanted = item.accelerator
    if not outcome.ok or isinstance(wanted, Unknown) or wanted == "cpu" or outcome.device != "cpu":
        return outcome
    if not gpu_here:
        return replace(outcome, because=f"built for {wanted}; there is none here, so it computed on the CPU")
    reason = f": {remark}" if remark else ""
    return replace(
        outcome,
        ok=False,
        because=f"built for {wanted}, but it sees no such device and computes on the CPU{reason}",
        hint="`dlsetup doctor` says what keeps it from the GPU; `--cpu` asks for the CPU build.",
    )


def _answer(out: str) -> dict[str, Any] | None:
    """The last line that is a JSON object."""
    for line in reversed(out.splitlines()):
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            return found
    return None


def _silence(item: Expected, ended: Ended) -> str:
    """Why a child ended without an answer."""
    if ended.code is None:
        return ended.reason
    if ended.code < 0:
        return f"the import or the computation ended with {_signal_name(-ended.code)}{_last_words(ended)}"
    return f"the check of `{item.module}` ended with exit code {ended.code}{_last_words(ended)}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _last_words(ended: Ended) -> str:
    lines = [line for line in ended.err.splitlines() if line.strip()]
    return f": {_short(lines[-1])}" if lines else ""


def _text(seen: dict[str, Any], name: str) -> str | Unknown:
    value = seen.get(name)
    return _short(value) if isinstance(value, str) and value else UNKNOWN


def _devices(seen: dict[str, Any]) -> tuple[str, ...] | Unknown:
    value = seen.get("devices")
    return tuple(_short(str(item)) for item in value) if isinstance(value, list) else UNKNOWN


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"
