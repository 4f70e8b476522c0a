"""The beginning and the end of what programs say, however much that is."""

from __future__ import annotations

import threading
from collections import deque


class Kept:
    """Beginning and end of what one or several streams say, in the order in which it came."""

    def __init__(self, head: int, tail: int) -> None:
        """`head`, `tail`: bytes that are kept of the beginning and of the end."""
        self.total = 0
        self._most, self._most_behind = head, tail
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._held = 0
        self._lock = threading.Lock()

    def add(self, data: bytes) -> None:
        with self._lock:
            self.total += len(data)
            room = self._most - len(self._head)
            if room > 0:
                self._head += data[:room]
                data = data[room:]
            self._tail.append(data)
            self._held += len(data)
            while self._held - len(self._tail[0]) >= self._most_behind:
                self._held -= len(self._tail.popleft())

    def parts(self) -> tuple[bytes, bytes]:
        """The beginning and the end; where nothing is missing between them, the beginning is all."""
        with self._lock:
            tail = b"".join(self._tail)
            if len(self._head) + len(tail) == self.total and len(tail) <= self._most_behind:
                return bytes(self._head) + tail, b""
            return bytes(self._head), tail[-self._most_behind :]
