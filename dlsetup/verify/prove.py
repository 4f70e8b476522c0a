"""Proves capabilities one by one: each program in a child of its own, which leaves nothing behind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from dlsetup.model.capability import Capability, Proved, Verdict
from dlsetup.model.outcome import Expected
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.verify.asked import Answer, Runner, ask
from dlsetup.verify.run import outcome_of


class Trial(NamedTuple):
    """What was proved, and what the program wrote, from which a cause can be read."""

    proved: Proved
    words: str = ""
    code: int | None = 0
    """Exit code of the program, below zero for a signal; None: it did not finish."""


def prove(
    runner: Runner,
    python: str,
    capabilities: Iterable[Capability],
    expected: dict[str, Expected],
    *,
    gpu_here: bool,
    deadline: float | None = None,
) -> Iterator[Trial]:
    """One trial after the other: they share the GPU's memory. `deadline`: seconds instead of each one's own.

    Where a framework cannot be imported, what else it can do is not tried.
    """
    fallen: set[str] = set()
    for item in capabilities:
        if item.framework in fallen:
            because = f"{item.framework} cannot be imported"
            yield Trial(_proved(item, "unknown", because=because))
            continue
        seconds = item.seconds if deadline is None else deadline
        if item.program:
            yield _tried(item, ask(runner, python, "prove", item.program, seconds))
            continue
        wanted = expected[item.framework]
        answer = ask(runner, python, "look", wanted.module, seconds)
        if answer.error:
            fallen.add(item.framework)
        yield _looked(item, answer, wanted, gpu_here)


def _looked(item: Capability, answer: Answer, wanted: Expected, gpu_here: bool) -> Trial:
    outcome = outcome_of(answer, wanted, gpu_here=gpu_here)
    devices = () if isinstance(outcome.devices, Unknown) else outcome.devices
    version = () if isinstance(outcome.version, Unknown) else (outcome.version,)
    proved = _proved(
        item,
        "yes" if outcome.ok else "no",
        answer,
        evidence=(*version, *devices),
        because=outcome.because,
        hint=outcome.hint,
    )
    return Trial(proved) if outcome.ok else _failed(proved, answer)


def _tried(item: Capability, answer: Answer) -> Trial:
    untried = answer.text("untried")
    if isinstance(untried, str):
        return Trial(_proved(item, "unknown", answer, because=untried))
    if answer.error:
        return _failed(_proved(item, "no", answer, because=answer.error), answer)
    evidence = answer.texts("evidence")
    return Trial(_proved(item, "yes", answer, evidence=() if isinstance(evidence, Unknown) else evidence))


def _proved(
    item: Capability,
    verdict: Verdict,
    answer: Answer | None = None,
    *,
    evidence: tuple[str, ...] = (),
    because: str = "",
    hint: str = "",
) -> Proved:
    proved = Proved(
        id=item.id,
        framework=item.framework,
        name=item.name,
        title=item.title,
        verdict=verdict,
        evidence=evidence,
        because=because,
        hint=hint,
    )
    if answer is None:
        return proved
    return replace(
        proved,
        device=answer.text("device"),
        seconds=answer.number("seconds"),
        peak_bytes=_whole(answer.number("peak_bytes")),
        gpu_peak_bytes=_whole(answer.number("gpu_peak_bytes")),
    )


def _whole(value: float | Unknown) -> int | Unknown:
    return UNKNOWN if isinstance(value, Unknown) else int(value)


def _failed(proved: Proved, answer: Answer) -> Trial:
    """With all that the program left, its error last."""
    return Trial(proved, f"{answer.ended.err}\n{proved.because}\n", answer.ended.code)
