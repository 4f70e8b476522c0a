"""How far files are that come over the network: names, bytes, time left; on a terminal alone."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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
    """A bar for all, and one for each file that is under way."""

    def __init__(self, bars: Any) -> None:
        self._bars = bars
        self._all: Any = None
        self._tasks: dict[str, Any] = {}
        self._counted: dict[str, int] = {}
        self._drawn: dict[str, float] = {}
        self._lock = threading.Lock()

    def begin(self, total: int, done: int = 0) -> None:
        with self._lock:
            self._all = self._bars.add_task("all", total=total or None, completed=done)

    def at(self, name: str, done: int, total: int) -> None:
        with self._lock:
            now = time.monotonic()
            if name not in self._tasks:
                # What an earlier run has brought is in the sum from the beginning.
                self._counted[name] = done if done < total else 0
                self._tasks[name] = self._bars.add_task(clean(name)[:_NAME], total=total or None)
            elif now - self._drawn.get(name, 0) < _PAUSE and done != total:
                return
            self._drawn[name] = now
            self._bars.update(self._tasks[name], completed=done)
            if self._all is not None:
                self._bars.update(self._all, advance=done - self._counted[name])
            self._counted[name] = done

    def end(self, name: str) -> None:
        with self._lock:
            task = self._tasks.pop(name, None)
            if task is not None:
                self._bars.remove_task(task)
