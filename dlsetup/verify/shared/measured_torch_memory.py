"""Memory that a training in PyTorch takes, and the bound that keeps the rest of the machine alive."""

from __future__ import annotations

import importlib
from typing import Any

KEPT = 1 << 30
"""Bytes of a GPU that are left to the display and to others, or a tenth of what is free."""


class DeviceMemory:
    """Of the device that is trained on: bounded once, then measured for each batch."""

    def __init__(self, torch: Any, where: str, room: int) -> None:
        self.torch, self.where = torch, where
        self.process = importlib.import_module("measured_memory")
        self.room = self._bound(room)
        """Bytes for everything together; 0: not known."""
        self.wasted = 0
        """Bytes that the allocator held and could not use when memory ended."""

    def _bound(self, room: int) -> int:
        torch = self.torch
        if self.where == "cuda":
            free, total = torch.cuda.mem_get_info()
            allowed = usable(free)
            torch.cuda.set_per_process_memory_fraction(allowed / total)
            return allowed
        if self.where == "cpu":
            self.process.bound(room)
            return self.process.status("VmRSS") + room if room else 0
        backend = getattr(torch, self.where)
        if hasattr(backend, "set_per_process_memory_fraction"):
            backend.set_per_process_memory_fraction(0.8)
        return 0

    def begin(self) -> None:
        """What is measured from now on is the next batch's."""
        if self.where == "cuda":
            self.torch.cuda.reset_peak_memory_stats()
        elif self.where == "cpu":
            self.process.forget_peak()

    def taken(self) -> int:
        """The most since then; 0: nobody tells."""
        if self.where == "cuda":
            return int(self.torch.cuda.max_memory_allocated())
        if self.where == "mps":
            return int(self.torch.mps.driver_allocated_memory())
        return int(self.process.peak()) if self.where == "cpu" else 0

    def ended(self) -> None:
        """Memory was too little: how much of it lay idle in pieces."""
        if self.where == "cuda":
            cuda = self.torch.cuda
            self.wasted = max(self.wasted, int(cuda.memory_reserved() - cuda.memory_allocated()))


def usable(free: int) -> int:
    """Bytes of a GPU that may be used of those that are free."""
    return free - max(min(KEPT, free // 2), free // 10)
