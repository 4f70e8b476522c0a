"""PyTorch: samples a second that a DataLoader brings, by its workers and what they fetch ahead."""

from __future__ import annotations

import importlib
import itertools
import time
from collections.abc import Callable, Generator
from typing import Any

LEAST = 2
"""Batches that one number is made of."""
MOST = 32
"""Samples of a batch here: it is the samples that count."""


def measure(told: dict[str, Any], so_far: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    until = time.monotonic() + float(told["seconds"])
    torch = importlib.import_module("torch")
    timing = importlib.import_module("measured_rates")
    samples = importlib.import_module("measured_data").of(told)
    if told.get("use_threads"):
        torch.set_num_threads(int(told["use_threads"]))
    batch = max(1, min(int(told["batch"]), MOST))
    common: dict[str, Any] = {"device": "cpu", "data": samples.words, "version": str(torch.__version__)}
    feeds = {
        _name(workers, ahead): Feed(torch, samples, batch, workers, ahead)
        for workers, ahead in itertools.product(map(int, told["workers"]), (2, 4))
        if workers or ahead == 2
    }

    def seen(found: dict[str, list[float]]) -> dict[str, Any]:
        rows = timing.told_of(found, batch)
        return {**common, "variants": [{**row, "start_seconds": feeds[row["name"]].start} for row in rows]}

    found = timing.in_turns(
        {name: feed.rate for name, feed in feeds.items()}, until, so_far=lambda found: so_far(seen(found))
    )
    first = next(iter(feeds.values()))
    return {**seen(found), "batch_bytes": first.batch_bytes}


def _name(workers: int, ahead: int) -> str:
    said = f"{workers} worker{'' if workers == 1 else 's'}"
    return f"{said}, {ahead} ahead" if workers else said


class Feed:
    """One manner of loading. Its workers live only while it is measured: others shall not be disturbed."""

    def __init__(self, torch: Any, samples: Any, batch: int, workers: int, ahead: int) -> None:
        data = torch.utils.data
        more = {"prefetch_factor": ahead, "timeout": 60} if workers else {}
        self.batch, self.batch_bytes, self.start = batch, 0, 0.0
        self.hidden = workers * ahead
        """Batches that may have been ready before the clock began."""
        # A small folder is read again and again: workers would be started anew at each of its ends.
        order = data.Subset(samples, [number % len(samples) for number in range(batch * 1024)])
        self.loader = data.DataLoader(order, batch_size=batch, num_workers=workers, **more)

    def rate(self) -> float:
        """Samples a second, from the first batch on; without those that were loaded meanwhile."""
        began = time.perf_counter()
        batches = self._endless()
        first = next(batches)
        self.batch_bytes = first.element_size() * first.nelement()
        self.start = round(time.perf_counter() - began, 2)
        for _ in range(self.hidden):
            next(batches)
        began, count = time.perf_counter(), 0
        while count < LEAST + self.hidden or time.perf_counter() - began < 0.3:
            next(batches)
            count += 1
        spent = time.perf_counter() - began
        batches.close()
        return self.batch * count / spent

    def _endless(self) -> Generator[Any, None, None]:
        while True:
            yield from self.loader
