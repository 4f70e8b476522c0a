"""The batch: what fits, what is fast, and how a larger one is put together."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.model.tuning import Advice, Measured, Numbers, Variant
from dlsetup.plan.tuning.comparing import LEAST, middle, number
from dlsetup.plan.tuning.written import written

ENOUGH = 0.95
"""Of the best rate: a smaller batch that is so fast leaves memory free, and steps are more frequent."""
HEADROOM = 0.9
"""Of what fits: lengths of samples and other programs vary."""
FRAGMENTED = 0.1
"""Of the memory allowed that lay idle in pieces when memory ended."""
_ENDS = {
    "memory": "{many} did not fit",
    "time": "time did not suffice for larger ones",
    "rate": "larger ones were not tried, since they bring nothing",
    "most": "larger ones were not tried",
    "": "the program ended before larger ones were tried",
}


def batch_advice(measured: Measured, wished: int | None = None) -> Iterator[Advice]:
    """The size to take, and an allocator that wastes less where it was seen to waste.

    `wished`: what a step of the optimiser shall see; the size is then that of its parts.
    """
    numbers = measured.numbers
    chosen = chosen_batch(numbers)
    if chosen is None:
        yield Advice(setting="batch", standing="open", value="", because=_nothing(numbers))
        return
    best = max(numbers.variants, key=middle)
    few = len(chosen.rates) < LEAST
    size = chosen.batch if wished is None else parts_of(wished, largest_safe(numbers), chosen)[0]
    part = f"{size} is a part of {wished}; " if size != chosen.batch else ""
    because = (
        f"{part}{chosen.name} {'sample' if chosen.batch == 1 else 'samples'} at once: "
        f"{number(middle(chosen))} samples/s{_memory(chosen)}; the fastest, {best.name}: "
        f"{number(middle(best))} samples/s{_memory(best)}; at least {numbers.fits} fit, {_end(numbers)}; "
        f"measured with {numbers.network}"
    )
    yield Advice(
        setting="batch",
        standing="open" if few else "change",
        value=str(size),
        because=because,
        how=written(measured.framework, "batch", value=size),
    )
    yield from _allocator(measured)


def chosen_batch(numbers: Numbers) -> Variant | None:
    """The smallest that is nearly as fast as the fastest, with some memory left; None: none went."""
    known = [item for item in numbers.variants if item.rates]
    bounded = numbers.ended_by == "memory"
    room = [item for item in known if not bounded or item.batch <= max(1, numbers.fits * HEADROOM)]
    fastest = max(map(middle, room), default=0.0)
    near = (item for item in room if middle(item) >= ENOUGH * fastest)
    return min(near, key=lambda item: item.batch, default=None)


def _nothing(numbers: Numbers) -> str:
    if numbers.too_many == 1:
        return f"not even one sample at once fits; measured with {numbers.network}"
    return "no batch was measured to its end in this time: `--seconds` gives more"


def _end(numbers: Numbers) -> str:
    return _ENDS.get(numbers.ended_by, _ENDS[""]).format(many=numbers.too_many)


def _memory(variant: Variant) -> str:
    return f" with {mebibytes(variant.bytes)}" if variant.bytes else ""


def mebibytes(count: int) -> str:
    """`812 MiB`, `11.3 GiB`."""
    return f"{count / (1 << 20):.0f} MiB" if count < 1 << 30 else f"{count / (1 << 30):.1f} GiB"


def _allocator(measured: Measured) -> Iterator[Advice]:
    numbers = measured.numbers
    if not numbers.room_bytes or numbers.wasted_bytes < FRAGMENTED * numbers.room_bytes:
        return
    yield Advice(
        setting="allocator",
        standing="change",
        value="expandable_segments:True",
        because=f"when memory ended, {mebibytes(numbers.wasted_bytes)} of {mebibytes(numbers.room_bytes)} "
        "were held in pieces that nothing fitted into",
        how=written(measured.framework, "allocator"),
        sources=("torch-cuda-semantics",),
    )


def accumulation_advice(framework: str, wished: int, numbers: Numbers | None) -> Iterator[Advice]:
    """How a wished batch is put together out of some that fit."""
    most = largest_safe(numbers) if numbers else 0
    if not most:
        because = "which batch fits was not measured"
        yield Advice(setting="accumulation", standing="open", value="", because=because)
        return
    assert numbers is not None
    part, steps = parts_of(wished, most, chosen_batch(numbers))
    if steps == 1:
        because = f"{wished} samples at once fit"
        yield Advice(setting="accumulation", standing="keep", value="1", because=because)
        return
    over = (
        "" if part * steps == wished else f"; together {part * steps}, since {wished} has no better divisor"
    )
    yield Advice(
        setting="accumulation",
        standing="change",
        value=f"{steps} steps of {part}",
        because=f"{most} samples at once are safe or were tried, {wished} are wished{over}; "
        "statistics of batch normalisation remain those of the parts",
        how=written(framework, "accumulation", steps=steps),
    )


def largest_safe(numbers: Numbers) -> int:
    """The largest batch that nobody has to fear for."""
    return int(numbers.fits * HEADROOM) or numbers.fits if numbers.ended_by == "memory" else numbers.fits


def parts_of(wished: int, most: int, fast: Variant | None) -> tuple[int, int]:
    """Samples at once and steps: the whole where it fits, else a divisor that is not much smaller.

    Where the divisors are all small (a prime), the parts are as equal as can be and make a little more.
    """
    if wished <= most:
        return wished, 1
    aim = min(most, max(fast.batch, 1)) if fast else most
    for largest in (most, aim):
        divisors = (size for size in range(largest, 0, -1) if wished % size == 0)
        part = next(divisors, 1)
        if part * 2 >= aim:
            return part, wished // part
    steps = -(-wished // most)
    return -(-wished // steps), steps
