"""Medians of wall time and peak memory of commands, each run in a process of its own."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class Measure(NamedTuple):
    """Seconds and bytes: medians of the runs."""

    seconds: float
    peak_bytes: int

    def __str__(self) -> str:
        return f"{self.seconds * 1000:.0f} ms, {self.peak_bytes / 1e6:.0f} MB"


def measure(
    argv: Sequence[str], *, runs: int = 10, codes: Sequence[int] = (0, 1), cwd: Path | None = None,
    stdin: str = "", environ: Mapping[str, str] | None = None,
) -> Measure:  # fmt: skip
    """Run a command once to warm it up and `runs` times to measure it.

    Raises `RuntimeError` where it ends with an exit code that was not expected.
    """
    results = [_once(argv, codes, cwd, stdin, environ) for _ in range(runs + 1)][1:]
    return Measure(
        statistics.median(item.seconds for item in results),
        int(statistics.median(item.peak_bytes for item in results)),
    )


def _once(
    argv: Sequence[str], codes: Sequence[int], cwd: Path | None, stdin: str, environ: Mapping[str, str] | None
) -> Measure:
    begun = time.perf_counter()
    child = subprocess.Popen(
        list(argv), cwd=cwd, env=environ, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert child.stdin
    child.stdin.write(stdin)
    child.stdin.close()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - begun
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in codes:
        raise RuntimeError(f"{' '.join(argv)} ended with {child.returncode}")
    return Measure(seconds, usage.ru_maxrss * 1024)
