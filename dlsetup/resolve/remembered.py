"""A sequence that is worked out only as far as it is read, and only once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Remembered(Generic[T]):
    """Read it as often as you like; what lies beyond the furthest reading is not made."""

    def __init__(self, items: Iterable[T]) -> None:
        self.known: list[T] = []
        self.whole = False
        """Whether it has been read to its end."""
        self._rest = iter(items)

    def __iter__(self) -> Iterator[T]:
        place = 0
        while True:
            if place < len(self.known):
                yield self.known[place]
                place += 1
                continue
            item = next(self._rest, None)
            if item is None:
                self.whole = True
                return
            self.known.append(item)
