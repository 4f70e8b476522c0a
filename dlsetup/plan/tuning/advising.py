"""All advice on a training, in the order in which it is followed, and the settings that come of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dlsetup.model.hardware import Hardware
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.tuning import Advice, Measured, Numbers, Settings, Surroundings, Variant
from dlsetup.plan.tuning.batches import (
    accumulation_advice,
    batch_advice,
    chosen_batch,
    largest_safe,
    parts_of,
)
from dlsetup.plan.tuning.comparing import middle
from dlsetup.plan.tuning.computing import (
    amp_advice,
    compile_advice,
    layout_advice,
    pinned_advice,
    tf32_advice,
    threads_advice,
    threads_of,
)
from dlsetup.plan.tuning.feeding import counts, workers_advice
from dlsetup.plan.tuning.surroundings import surrounding_advice

USUAL_BATCH = 32
"""What is taken where nobody measured or said one."""

SHORT = 0.2
"""Seconds of a step in comparisons."""


def advise(
    measured: Iterable[Measured],
    here: Surroundings,
    hardware: Hardware,
    *,
    framework: str,
    wished: int | None = None,
) -> tuple[Advice, ...]:
    """What the numbers and the machine say. `wished`: samples that a step of the optimiser shall see."""
    known = {item.name: item for item in measured if item.verdict == "yes"}
    return tuple(_all(known, here, hardware, framework, wished))


def _all(
    known: dict[str, Measured], here: Surroundings, hardware: Hardware, framework: str, wished: int | None
) -> Iterator[Advice]:
    yield from _device(known, here)
    if "threads" in known:
        yield from threads_advice(known["threads"])
    if "batch" in known:
        yield from batch_advice(known["batch"], wished)
    if wished is not None:
        yield from accumulation_advice(framework, wished, numbers_of(known, "batch"))
    if "amp" in known:
        yield from amp_advice(known["amp"], hardware)
    if "tf32" in known:
        yield from tf32_advice(known["tf32"], hardware)
    for name, advice in (
        ("layout", layout_advice),
        ("compile", compile_advice),
        ("pinned", pinned_advice),
    ):
        if name in known:
            yield from advice(known[name])
    waiting: int | Unknown = UNKNOWN
    if "workers" in known:
        for item in workers_advice(known["workers"], training_rate(known.values())):
            workers, ahead = workers_of(item)
            waiting = workers * ahead * known["workers"].numbers.batch_bytes
            yield item
    yield from surrounding_advice(here, in_shared_memory=waiting)


def _device(known: dict[str, Measured], here: Surroundings) -> Iterator[Advice]:
    """A GPU that is here and was not computed on: all that follows is of the CPU."""
    devices = {item.numbers.device for name, item in known.items() if name != "workers"} - {""}
    if isinstance(here.gpus, Unknown) or not here.gpus or devices != {"cpu"}:
        return
    yield Advice(
        setting="device",
        standing="open",
        value="cpu",
        because="a GPU is in this machine, and the framework computed on the CPU: what follows is of the CPU",
        how=("dlsetup doctor",),
    )


def numbers_of(known: dict[str, Measured], name: str) -> Numbers | None:
    return known[name].numbers if name in known else None


def training_rate(measured: Iterable[Measured]) -> float:
    """The most samples a second that any setting trains; 0: none was measured."""
    training = (item.numbers for item in measured if item.name in ("batch", "amp", "layout", "compile"))
    return max((middle(variant) for numbers in training for variant in numbers.variants), default=0.0)


def workers_of(advice: Advice) -> tuple[int, int]:
    """Workers, and batches that each fetches ahead."""
    return counts(Variant(name=advice.value))


def batch_to_take(batch: Measured | None, wished: int | None) -> int:
    """Samples at once: what was found, else what is usual and no more than is wished."""
    chosen = chosen_batch(batch.numbers) if batch is not None and batch.verdict == "yes" else None
    if chosen is not None:
        return chosen.batch
    return min(wished or USUAL_BATCH, USUAL_BATCH)


def batch_to_compare(batch: Measured | None, wished: int | None) -> int:
    """The same, but so few that a step is short: a slow machine could not be measured often enough."""
    taken = batch_to_take(batch, wished)
    rate = training_rate([batch]) if batch is not None else 0.0
    return max(1, min(taken, int(rate * SHORT))) if rate else taken


def threads_to_go_on(threads: Measured | None) -> int:
    """Threads for everything that is measured after them; 0: as many as the framework takes."""
    if threads is None or threads.verdict != "yes":
        return 0
    found = next(threads_advice(threads))
    return threads_of(found.value) if found.standing == "change" else 0


def settings_of(
    advice: Iterable[Advice], measured: Iterable[Measured], *, wished: int | None = None
) -> Settings:
    """What a script is written with: every change that is advised, and the usual for the rest."""
    changed = {item.setting: item for item in advice if item.standing == "change"}
    batch = next((item for item in measured if item.name == "batch"), None)
    size, steps = batch_to_take(batch, wished), 1
    if wished is not None and batch is not None and (most := largest_safe(batch.numbers)):
        size, steps = parts_of(wished, most, chosen_batch(batch.numbers))
    elif wished is not None:
        size = wished
    workers, ahead = workers_of(changed["workers"]) if "workers" in changed else (0, 2)
    threads = threads_of(changed["threads"].value) if "threads" in changed else 0
    allocator = changed.get("allocator")
    return Settings(
        batch=size,
        accumulate=steps,
        workers=workers,
        prefetch=ahead,
        amp=changed["amp"].value if "amp" in changed else "",
        tf32="tf32" in changed,
        channels_last="layout" in changed,
        compile="compile" in changed,
        pinned="pinned" in changed,
        threads=threads,
        environment=(("PYTORCH_CUDA_ALLOC_CONF", allocator.value),) if allocator else (),
    )
