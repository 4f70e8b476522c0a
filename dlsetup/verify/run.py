"""Proof that an environment works: every framework is imported, looks for devices and computes.

What has to run, runs in a child of the environment with a deadline, never in this process.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from dlsetup.model.outcome import Expected, Outcome
from dlsetup.model.record import Unknown
from dlsetup.verify.asked import Answer, Runner, ask, short

DEADLINE = 300.0
"""Seconds for one framework: a first import compiles byte code and may load gigabytes from a slow disk."""


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
    return tuple(
        outcome_of(ask(host, python, "look", item.module, deadline), item, gpu_here=gpu_here)
        for item in expected
    )


def outcome_of(answer: Answer, item: Expected, *, gpu_here: bool) -> Outcome:
    """What one framework did, as its child tells it."""
    seen = Outcome(
        framework=item.framework,
        ok=not answer.error,
        version=answer.text("version"),
        devices=answer.texts("devices"),
        device=answer.text("device"),
        seconds=answer.number("seconds"),
        because=answer.error,
    )
    return _with_accelerator(seen, item, short(str(answer.told.get("remark", ""))), gpu_here)


def _with_accelerator(outcome: Outcome, item: Expected, remark: str, gpu_here: bool) -> Outcome:
    """Holds where it computed against what the build was chosen for."""
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
