"""Hands on what a program writes, unchanged and at once."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import threading
import time
from collections.abc import Sequence

from dlsetup.probe.kept import Kept

CHUNK = 64 << 10
IDLE = 0.5
"""Seconds without a word after which nobody waits for those who outlive the program and hold its output."""


class Relay:
    """Carries one stream to its place, in a thread of its own."""

    def __init__(self, source: int, target: int | None, kept: Kept) -> None:
        self._source = source
        self._target = target
        self._kept = kept
        self._waiting_since: float | None = None
        self._thread = threading.Thread(target=self._carry, daemon=True)
        self._thread.start()

    def finish(self) -> None:
        """Wait until all is handed on; whoever inherited the stream and says nothing is left alone."""
        while self._thread.is_alive():
            self._thread.join(0.05)
            since = self._waiting_since
            if since is not None and time.monotonic() - since > IDLE:
                return

    def _carry(self) -> None:
        with contextlib.suppress(OSError):
            while data := self._read():
                self._kept.add(data)
                if self._target is not None:
                    write_all(self._target, data)
        # Whoever still writes learns that nobody reads, as without us.
        with contextlib.suppress(OSError):
            os.close(self._source)

    def _read(self) -> bytes:
        """Empty at the end, which a terminal without a writer tells by an error."""
        self._waiting_since = time.monotonic()
        try:
            return os.read(self._source, CHUNK)
        finally:
            self._waiting_since = None


def write_all(target: int, data: bytes) -> None:
    """Raises `OSError` where it takes nothing more."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(target, view) :]
        except BlockingIOError:
            select.select([], [target], [])


class Streams:
    """Where a program writes: a terminal for what is one for us, else a pipe; one for two that are one."""

    def __init__(self) -> None:
        self._pairs: list[tuple[int, int, int]] = []
        """What is read, what the program writes to, and where it goes."""
        out, err = _number(sys.__stdout__), _number(sys.__stderr__)
        self.out = self._open(out)
        self.err = self.out if _is_same(out, err) else self._open(err)

    def relays(self, kept: Kept, *, quiet: bool = False) -> Sequence[Relay]:
        """Once the program is started. `quiet`: nothing is handed on."""
        for _, written, _ in self._pairs:
            os.close(written)
        return [Relay(read, None if quiet else target, kept) for read, _, target in self._pairs]

    def drop(self) -> None:
        """Where it could not be started."""
        for read, written, _ in self._pairs:
            os.close(read)
            os.close(written)

    def resize(self) -> None:
        """Give the terminals of the program the size of ours."""
        for read, _, target in self._pairs:
            if os.isatty(target):
                _copy_size(target, read)

    def _open(self, target: int) -> int:
        if os.isatty(target) and hasattr(os, "openpty"):
            read, written = os.openpty()
            _plain(written)
            _copy_size(target, read)
        else:
            read, written = os.pipe()
        self._pairs.append((read, written, target))
        return written


def _number(stream: object) -> int:
    """The file that a stream of ours writes to; nowhere for one that is closed."""
    try:
        return stream.fileno()  # type: ignore[attr-defined, no-any-return]
    except (AttributeError, OSError, ValueError):
        return os.open(os.devnull, os.O_WRONLY)


def _is_same(first: int, second: int) -> bool:
    """Whether both lead to one place, where the order of what is said must not be lost."""
    try:
        return os.path.samestat(os.fstat(first), os.fstat(second))
    except OSError:
        return False


def _plain(terminal: int) -> None:
    """A terminal that changes nothing: the one that is looked at ends lines as it is used to."""
    import termios

    words = termios.tcgetattr(terminal)
    words[1] &= ~termios.OPOST
    termios.tcsetattr(terminal, termios.TCSANOW, words)


def _copy_size(source: int, target: int) -> None:
    import fcntl
    import termios

    with contextlib.suppress(OSError):
        fcntl.ioctl(target, termios.TIOCSWINSZ, fcntl.ioctl(source, termios.TIOCGWINSZ, b"\0" * 8))
