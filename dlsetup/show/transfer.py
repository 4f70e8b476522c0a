"""How far files are that come over the network: names, bytes, time left; on a terminal alone."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TextIO

from dlsetup.catalog.watch import ByteWatch
from dlsetup.show.lines import clean, wants_colour

_NAME = 32
_PAUSE = 0.1
"""Seconds between two drawings of one file: a fast network brings thousands of pieces a second."""


@contextmanager
def transfer(stream: TextIO | None = None, environ: Mapping[str, str] | None = None) -> Iterator[ByteWatch]:
    """A watch that draws on standard error while the context lasts; quiet anywhere but on a terminal."""
    target = sys.stderr if stream is None else stream
    if not (target.isatty() and wants_colour(os.environ if environ is None else environ)):
        yield ByteWatch()
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(binary_units=True),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(file=target), transient=True) as bars:
        yield BarBytes(bars)


class BarBytes(ByteWatch):
    """A bar for all, and one for each file that is under way.

    Where nobody says how much there will be, all is what has been seen so far.
    """

    def __init__(self, bars: Any) -> None:
        self._bars = bars
        self._all: Any = None
        self._grows = True
        self._files: dict[str, _File] = {}
        self._lock = threading.Lock()

    def begin(self, total: int, done: int = 0) -> None:
        with self._lock:
            self._grows = False
            self._all = self._bars.add_task("all", total=total or None, completed=done)

    def at(self, name: str, done: int, total: int) -> None:
        with self._lock:
            file = self._files.get(name)
            if file is None:
                file = self._files[name] = self._new(name, done, total)
            now = time.monotonic()
            if now - file.drawn < _PAUSE and done != total:
                return
            file.drawn = now
            self._bars.update(file.task, completed=done)
            self._bars.update(self._all, advance=done - file.counted)
            file.counted = done

    def end(self, name: str) -> None:
        with self._lock:
            file = self._files.pop(name, None)
            if file is not None:
                self._bars.remove_task(file.task)
                self._bars.update(self._all, advance=max(file.total - file.counted, 0))

    def _new(self, name: str, done: int, total: int) -> _File:
        """What an earlier run has brought of a file is in the sum from the beginning."""
        if self._all is None:
            self._all = self._bars.add_task("all", total=0, completed=0)
        if self._grows:
            whole = next(task.total for task in self._bars.tasks if task.id == self._all)
            self._bars.update(self._all, total=whole + total)
        task = self._bars.add_task(clean(name)[:_NAME], total=total or None)
        return _File(task=task, total=total, counted=0 if self._grows else done)


@dataclass
class _File:
    """A file that is under way. `counted`: its bytes that the bar of all has."""

    task: Any
    total: int
    counted: int
    drawn: float = 0.0
