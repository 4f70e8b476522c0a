"""Measures a training one setting after the other: each program in a child of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dlsetup.model import codec
from dlsetup.model.capability import Verdict
from dlsetup.model.errors import DataError
from dlsetup.model.tuning import Measure, Measured, Numbers
from dlsetup.verify.asked import Answer, Runner, ask

LONG = 240.0
"""Seconds of grace for what compiles."""


def measures(framework: str) -> tuple[Measure, ...]:
    """What can be measured of it, in the order in which one builds on another."""
    return tuple(item for item in MEASURES if item.framework == framework)


def measurable() -> tuple[str, ...]:
    """The frameworks of which something can be."""
    return tuple(dict.fromkeys(item.framework for item in MEASURES))


def seconds_of(item: Measure, chosen: Iterable[Measure], budget: float) -> float:
    """Its share of the time."""
    return budget * item.share / sum(other.share for other in chosen)


def measure(runner: Runner, python: str, item: Measure, seconds: float, told: Mapping[str, Any]) -> Measured:
    """What one program found in about so many seconds. Never raises for what the child does."""
    deadline = seconds * 2 + item.grace
    return measured_of(
        item, ask(runner, python, "measure", item.program, deadline, {**told, "seconds": seconds})
    )


def measured_of(item: Measure, answer: Answer) -> Measured:
    """What a child tells. What it knew before it was ended counts."""
    untried = answer.text("untried")
    if isinstance(untried, str):
        return _measured(item, answer, "unknown", because=untried)
    try:
        numbers = numbers_of(answer.told)
    except DataError as error:
        return _measured(item, answer, "no", because=str(error))
    if any(variant.rates for variant in numbers.variants):
        return _measured(item, answer, "yes", numbers, because=answer.error)
    if answer.error:
        return _measured(item, answer, "no", because=answer.error)
    return _measured(item, answer, "yes", numbers)


def numbers_of(told: Mapping[str, Any]) -> Numbers:
    """Of what a program tells the part that is numbers. Raises `DataError`."""
    known = {name: told[name] for name in Numbers.__struct_fields__ if name in told}
    return codec.convert(known, Numbers, where="what the program measured")


def _measured(
    item: Measure, answer: Answer, verdict: Verdict, numbers: Numbers | None = None, *, because: str = ""
) -> Measured:
    return Measured(
        id=item.id,
        framework=item.framework,
        name=item.name,
        title=item.title,
        verdict=verdict,
        because=because,
        seconds=answer.number("seconds"),
        numbers=numbers or Numbers(),
    )


def _row(
    framework: str, name: str, title: str, program: str, share: float = 1.0, grace: float = 90.0
) -> Measure:
    return Measure(framework=framework, name=name, title=title, program=program, share=share, grace=grace)


def _torch(framework: str) -> tuple[Measure, ...]:
    return (
        _row(framework, "threads", "threads of the CPU", "torch_threads"),
        _row(framework, "batch", "batch sizes, their memory and their rate", "torch_batch", 3),
        _row(framework, "amp", "mixed precision", "torch_amp"),
        _row(framework, "tf32", "TF32 in products of float32", "torch_tf32"),
        _row(framework, "layout", "channels last", "torch_layout"),
        _row(framework, "compile", "compiled against plain", "torch_compile", 1, LONG),
        _row(framework, "pinned", "copies out of pinned memory", "torch_pinned", 0.5),
        _row(framework, "workers", "workers of a DataLoader and what they fetch ahead", "torch_workers", 3),
    )


def _keras(framework: str) -> tuple[Measure, ...]:
    return (
        _row(framework, "batch", "batch sizes, their memory and their rate", "keras_batch", 2),
        _row(framework, "amp", "mixed precision", "keras_amp"),
    )


MEASURES = (
    *_torch("torch"),
    *_torch("lightning"),
    *_keras("tensorflow"),
    *_keras("keras"),
    _row("jax", "batch", "batch sizes, their memory and their rate", "jax_batch", 2, LONG),
    _row("jax", "amp", "everything in bfloat16", "jax_amp", 1, LONG),
)
