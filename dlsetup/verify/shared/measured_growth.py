"""The largest batch that fits: doubled until it does not, then bisected. Pure: who calls does the work."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

MOST = 1 << 16
"""Samples at once that nobody asks for."""
STILL = 1.03
"""A batch of twice the size that is not faster by so much is no faster."""
FINE = 16
"""The limit is known to a sixteenth of itself."""
STEPS = 16
"""What one attempt does at least, and some more."""

Attempt = Callable[[int], "dict[str, Any] | None"]


class Growth:
    """What is known of batch sizes so far."""

    def __init__(
        self,
        attempt: Attempt,
        *,
        until: float,
        room: int = 0,
        flat: bool = False,
        most: int = MOST,
        clock: Callable[[], float] = time.monotonic,
        so_far: Callable[[dict[str, Any]], None] = lambda seen: None,
    ) -> None:
        """`attempt(size)` gives `rates` and `bytes`, or None where memory was too little.

        `until`: no attempt begins that would end later, by `clock`. `room`: bytes that no attempt may be
        expected to take; 0: any. `flat`: stop where larger batches bring nothing.
        """
        self.attempt, self.until, self.room, self.flat = attempt, until, room, flat
        self.most, self.clock, self.so_far = most, clock, so_far
        self.tried: list[dict[str, Any]] = []
        self.too_many = 0
        self.ended_by = ""

    def grow(self) -> dict[str, Any]:
        """Doubles from one sample on, then looks between what fits and what does not."""
        size = 1
        while size <= self.most and self._try(size):
            if self.flat and self._is_flat():
                self.ended_by = "rate"
                break
            size *= 2
        while self.too_many and not self.ended_by and self.too_many - self.fits > max(1, self.fits // FINE):
            if not self._try((self.fits + self.too_many) // 2) and self.ended_by:
                break
        self.ended_by = self.ended_by or ("memory" if self.too_many else "most")
        return self.seen()

    @property
    def fits(self) -> int:
        """The largest batch that went; 0: none did."""
        return max((item["batch"] for item in self.tried), default=0)

    def seen(self) -> dict[str, Any]:
        """All of it, at any moment."""
        return {
            "variants": sorted(self.tried, key=lambda item: item["batch"]),
            "fits": self.fits,
            "too_many": self.too_many,
            "ended_by": self.ended_by,
        }

    def _try(self, size: int) -> bool:
        """Whether that many went. What is expected not to fit is not tried."""
        if self.room and self._expected(size) > self.room:
            self.too_many = size
            return False
        if self.clock() + self._lasting(size) > self.until:
            self.ended_by = "time"
            return False
        found = self.attempt(size)
        if found is None:
            self.too_many = size
            return False
        self.tried.append({"name": str(size), "batch": size, **found})
        self.so_far(self.seen())
        return True

    def _lasting(self, size: int) -> float:
        """Seconds of an attempt, by the rate of the largest so far."""
        if not self.tried:
            return 0.0
        largest = max(self.tried, key=lambda item: int(item["batch"]))
        return STEPS * size / max(statistics.median(largest["rates"]), 1e-9)

    def _expected(self, size: int) -> float:
        """Bytes, by the line through the two largest: a network and its samples."""
        known = sorted((item["batch"], item["bytes"]) for item in self.tried if item.get("bytes"))
        if len(known) < 2:
            return 0.0
        (less, below), (more, above) = known[-2:]
        return above + (size - more) * max(0.0, (above - below) / (more - less))

    def _is_flat(self) -> bool:
        """Whether the last two sizes are no faster than one before them."""
        rates = [statistics.median(item["rates"]) for item in self.tried]
        return len(rates) > 4 and max(rates[-2:]) < STILL * max(rates[:-2])
