"""Memory of GPUs that is in use: at one moment, and at most over a while. NVML is asked in a child."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from pathlib import PurePath
from typing import Any

from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.use import GpuPeak, GpuUse, Holder
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes, printable
from dlsetup.probe.nvidia_files import driver_files
from dlsetup.probe.nvml import GPU_LIMIT, HIDE_GPUS

CHILD = str(PurePath(__file__).with_name("use_child.py"))
DEADLINE = 5.0
SECONDS = 0.25
"""Between two moments."""
GRACE = 0.5
"""Seconds that the child has to end."""


def gpu_use(host: Host) -> tuple[GpuUse, ...] | Unknown:
    """The memory of each GPU now, and who holds it; unknown where NVML does not tell in time."""
    library = _library(host)
    if library is None:
        return UNKNOWN
    outcome = host.run_own([CHILD, host.local(library), "0"], DEADLINE, **_changes(host, library))
    line = _read(outcome.out.partition("\n")[0])
    rows = None if line is None else _rows(line)
    if line is None or rows is None:
        return UNKNOWN
    return tuple(
        GpuUse(index=index, total_bytes=total, used_bytes=used, holders=_holders(line, index))
        for index, total, used in rows
    )


class GpuWatch:
    """Follows the memory of all GPUs from the moment it is made, without ever making anybody wait."""

    def __init__(self, host: Host, seconds: float = SECONDS) -> None:
        self._peaks: dict[int, GpuPeak] = {}
        self._process = _started(host, seconds)
        if self._process is not None:
            threading.Thread(target=self._listen, args=(self._process,), daemon=True).start()

    def peaks(self) -> tuple[GpuPeak, ...] | Unknown:
        """The most that was seen of each GPU so far; unknown where nothing was."""
        found = self._peaks
        return tuple(found[index] for index in sorted(found)) if found else UNKNOWN

    def end(self) -> None:
        """No process is left, but for one that a driver holds."""
        if self._process is None:
            return
        with contextlib.suppress(OSError):
            self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        for text in process.stdout:
            line = _read(text.decode("utf-8", "replace"))
            for row in (_rows(line) if line else None) or ():
                self._note(*row)

    def _note(self, index: int, total: int, used: int) -> None:
        before = self._peaks.get(index)
        first = used if before is None else before.before_bytes
        peak = used if before is None else max(before.peak_bytes, used)
        self._peaks = {
            **self._peaks,
            index: GpuPeak(index=index, total_bytes=total, before_bytes=first, peak_bytes=peak),
        }


def _library(host: Host) -> str | None:
    return None if host.platform == "darwin" else driver_files(host, Notes()).nvml


def _changes(host: Host, library: str) -> dict[str, str | None]:
    changes: dict[str, str | None] = {**HIDE_GPUS}
    if host.root:
        changes["LD_LIBRARY_PATH"] = host.local(library.rpartition("/")[0])
    return changes


def _started(host: Host, seconds: float) -> subprocess.Popen[bytes] | None:
    library = _library(host)
    if library is None:
        return None
    merged = {**host.environ, **_changes(host, library)}
    try:
        return subprocess.Popen(
            [sys.executable, "-I", CHILD, host.local(library), str(seconds)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: value for name, value in merged.items() if value is not None},
            start_new_session=True,
        )
    except OSError:
        return None


def _read(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _rows(line: dict[str, Any]) -> list[tuple[int, int, int]] | None:
    """Index, whole and used memory of each GPU; what cannot be is left out."""
    found = line.get("gpus")
    if not isinstance(found, list) or len(found) > GPU_LIMIT:
        return None
    rows = (tuple(row) for row in found if isinstance(row, list) and len(row) == 3)
    return [row for row in rows if all(isinstance(part, int) for part in row) and 0 <= row[2] <= row[1]]


def _holders(line: dict[str, Any], index: int) -> tuple[Holder, ...] | Unknown:
    found = line.get("holders")
    if not isinstance(found, list):
        return UNKNOWN
    rows = {row[1]: row[2] for row in found if isinstance(row, list) and len(row) == 3 and row[0] == index}
    return tuple(
        Holder(pid=pid, name=_name(pid), bytes=held if isinstance(held, int) else UNKNOWN)
        for pid, held in rows.items()
        if isinstance(pid, int)
    )


def _name(pid: int) -> str:
    """Of a program of this machine; empty where it cannot be seen from here."""
    import psutil

    try:
        return printable(psutil.Process(pid).name())
    except (psutil.Error, OSError, ValueError):
        return ""
