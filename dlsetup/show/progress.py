"""How far a long piece of work is: a bar on a terminal, lines anywhere else."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TextIO

from dlsetup.catalog.watch import Watch
from dlsetup.show.lines import Line, clean, wants_colour, write


@contextmanager
def watched(stream: TextIO | None = None, environ: Mapping[str, str] | None = None) -> Iterator[Watch]:
    """A watch that writes to standard error while the context lasts."""
    target = sys.stderr if stream is None else stream
    if not (target.isatty() and wants_colour(os.environ if environ is None else environ)):
        yield LineWatch(target)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[item]}"),
    )
    with Progress(*columns, console=Console(file=target), transient=True) as bar:
        yield BarWatch(bar)


class LineWatch(Watch):
    """A line for each stretch of work, and for each thing to know."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def begin(self, what: str, total: int) -> None:
        if total:
            self._write(Line(text=f"{what}: {total}", style="faint"))

    def say(self, text: str) -> None:
        self._write(Line(mark="·", text=text, style="note"))

    def _write(self, line: Line) -> None:
        write([line], self._stream)
        self._stream.flush()


class BarWatch(Watch):
    """One bar, for the stretch that is under way; what there is to know is printed above it."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._task: Any = None

    def begin(self, what: str, total: int) -> None:
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task(what, total=total, item="")

    def step(self, what: str) -> None:
        from rich.markup import escape

        self._bar.update(self._task, advance=1, item=escape(clean(what)[:40]))

    def say(self, text: str) -> None:
        self._bar.console.print(f"· {clean(text)}", markup=False, highlight=False, soft_wrap=True)
