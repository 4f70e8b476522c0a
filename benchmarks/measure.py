"""Medians of wall time and peak memory of commands, each run in a process of its own."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from pathlib import Path
from typing import NamedTuple


class Command(NamedTuple):
    """A command line, where it runs, what it reads, and the exit codes that are no failure."""

    argv: tuple[str, ...]
    cwd: Path | None = None
    stdin: str = ""
    codes: tuple[int, ...] = (0,)


class Measure(NamedTuple):
    """Seconds and bytes: medians of the runs."""

    seconds: float
    peak_bytes: int

    def __str__(self) -> str:
        return f"{self.seconds * 1000:.0f} ms, {self.peak_bytes / 1e6:.0f} MB"


def measure(*commands: Command, runs: int = 10) -> list[Measure]:
    """Run every command once to warm it up, then all of them in turn `runs` times.

    In turn, because a machine that slows down meanwhile then slows all of them. Raises `RuntimeError`
    where one ends with an exit code that was not expected.
    """
    rounds = [[_once(command) for command in commands] for _ in range(runs + 1)][1:]
    return [
        Measure(
            statistics.median(item.seconds for item in column),
            int(statistics.median(item.peak_bytes for item in column)),
        )
        for column in zip(*rounds, strict=True)
    ]


def _once(command: Command) -> Measure:
    begun = time.perf_counter()
    child = subprocess.Popen(
        command.argv,
        cwd=command.cwd,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert child.stdin
    child.stdin.write(command.stdin)
    child.stdin.close()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - begun
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in command.codes:
        raise RuntimeError(f"{' '.join(command.argv)} ended with {child.returncode}")
    return Measure(seconds, usage.ru_maxrss * 1024)
