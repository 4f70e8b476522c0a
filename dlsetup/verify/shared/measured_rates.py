"""Samples a second, measured in turns: what disturbs the machine for a while disturbs all variants alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

ROUNDS = 9
LEAST = 3
"""Rounds without which nothing can be said."""
SLICE = 0.3
"""Seconds that one number is measured for."""

Step = Callable[[], Any]


def rate(step: Step, samples: int, *, settle: Step = lambda: None, seconds: float = SLICE) -> float:
    """Samples a second over at least two steps and so many seconds. `settle` waits for the device."""
    settle()
    began = time.perf_counter()
    steps = 0
    while True:
        step()
        steps += 1
        if steps < 2:
            continue
        # Only now and then: to wait for the device at every step is what a training does not do.
        if steps & (steps - 1) == 0 or steps % 8 == 0:
            settle()
            if time.perf_counter() - began >= seconds:
                break
    return samples * steps / (time.perf_counter() - began)


def rates(step: Step, samples: int, *, settle: Step = lambda: None, times: int = 5) -> list[float]:
    """Several such numbers in a row."""
    return [rate(step, samples, settle=settle, seconds=SLICE / 3) for _ in range(times)]


def in_turns(
    variants: Mapping[str, Callable[[], float]],
    until: float,
    *,
    most: int = ROUNDS,
    so_far: Callable[[dict[str, list[float]]], None] = lambda found: None,
) -> dict[str, list[float]]:
    """One number of each variant, and again, until a time of `time.monotonic`; the first few take longer."""
    found: dict[str, list[float]] = {name: [] for name in variants}
    latest = until + max(0.0, until - time.monotonic())
    for number in range(1, most + 1):
        began = time.monotonic()
        for name, measured in variants.items():
            found[name].append(round(measured(), 3))
        so_far(found)
        now = time.monotonic()
        if now + (now - began) > (until if number >= LEAST else latest):
            break
    return found


def told_of(found: Mapping[str, Iterable[float]], batch: int) -> list[dict[str, Any]]:
    """The numbers as an answer has them."""
    return [{"name": name, "batch": batch, "rates": list(rates)} for name, rates in found.items()]
