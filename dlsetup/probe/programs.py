"""Programs that are run to be listened to: bounded in time and output, killed with their children."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from typing import IO

from dlsetup.model.record import Record
from dlsetup.probe.kept import Kept

OUTPUT_LIMIT = 4 << 20
"""Bytes that are kept of each stream: its beginning and its end."""
KILL_GRACE = 0.5
LINGER = 0.2
"""Seconds for the last output of a program that has ended while a child of its own still holds the stream."""
TICK = 0.05


class Outcome(Record, frozen=True, kw_only=True):
    """What became of a program. `code` None: it did not finish, and `reason` says why."""

    code: int | None
    out: str = ""
    err: str = ""
    reason: str = ""

    @property
    def ok(self) -> bool:
        return self.code == 0


def run(argv: list[str], deadline: float, environ: dict[str, str]) -> Outcome:
    """Run a program in a process group of its own, which ends with it, or when its time is over."""
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environ,
            start_new_session=True,
        )
    except (OSError, ValueError) as exc:
        return Outcome(code=None, reason=f"`{argv[0]}` cannot be started: {exc}")
    assert process.stdout
    assert process.stderr
    heard = [Heard(process.stdout), Heard(process.stderr)]
    reason = ""
    try:
        if not _ended(process, heard, time.monotonic() + deadline):
            reason = f"`{argv[0]}` gave no answer within {deadline:g} s"
    finally:
        # Ctrl-C reaches us alone: the program is in a group of its own.
        _end(process)
    out, err = (item.text() for item in heard)
    return Outcome(code=None if reason else process.returncode, out=out, err=err, reason=reason)


def signal_name(number: int) -> str:
    """`SIGKILL`; `signal 77` for one that has no name here."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class Heard:
    """What one stream says, listened to in a thread of its own: nobody has to wait for its end."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._kept = Kept(OUTPUT_LIMIT // 2, OUTPUT_LIMIT // 2)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while part := os.read(self._stream.fileno(), 1 << 16):
            self._kept.add(part)

    def wait(self, seconds: float) -> bool:
        """Whether the stream has ended."""
        self._thread.join(max(seconds, 0))
        return not self._thread.is_alive()

    def text(self) -> str:
        """Its beginning and its end, as far as they have come."""
        if self.wait(LINGER):
            self._stream.close()
        return b"".join(self._kept.parts()).decode("utf-8", "replace")


def _ended(process: subprocess.Popen[bytes], heard: list[Heard], until: float) -> bool:
    """Waits for the program, not for those who hold its streams."""
    while process.poll() is None:
        left = until - time.monotonic()
        if left <= 0:
            return False
        if all(item.wait(min(TICK, left)) for item in heard):
            try:
                process.wait(max(until - time.monotonic(), 0))
            except subprocess.TimeoutExpired:
                return False
    return True


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process with all its children; a process that a driver holds may survive even that."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        elif process.poll() is None:
            process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=KILL_GRACE)
