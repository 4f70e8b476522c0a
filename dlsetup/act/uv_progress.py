"""What uv draws on a terminal, read back: which packages come, how many bytes of each are here.

uv has no progress for programs. On a terminal it draws a frame some times a second:

    ⠙ Preparing packages... (1/3)
    torch               ------------------------------ 14.91 MiB/858.12 MiB
"""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence

from dlsetup.act.child import Finished, ended_with_us
from dlsetup.catalog.watch import ByteWatch
from dlsetup.model.errors import ToolMissing

_FRAME = re.compile(r"packages\.\.\.")
_ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_SIZE = r"([\d.]+) ?(B|[KMGT]iB)"
_BAR = re.compile(rf"(\S+(?: \(\w+\))?)\s+-{{10,}}\s+{_SIZE}/{_SIZE}(?=\s)")
_UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
_ROWS, _COLUMNS = 200, 200
"""A terminal large enough for a row for each package that comes at the same time."""
_KEPT = 1 << 16
"""Signs of what uv said that are kept for a failure."""


class Drawing:
    """Reads frames as they come and tells a watch what is in them."""

    def __init__(self, watch: ByteWatch) -> None:
        self.watch = watch
        self._left = ""
        self._there: set[str] = set()

    def read(self, text: str) -> None:
        """A piece of what uv draws, cut anywhere."""
        *frames, self._left = _FRAME.split(self._left + text)
        for frame in frames[-1:]:
            self._tell(frame)
        self._left = self._left[-_KEPT:]

    def end(self) -> None:
        """Nothing more comes."""
        for name in sorted(self._there):
            self.watch.end(name)
        self._there = set()

    def _tell(self, frame: str) -> None:
        bars = _BAR.findall(_ESCAPE.sub("", frame))
        now = {name for name, *_ in bars}
        for name in sorted(self._there - now):
            self.watch.end(name)
        self._there = now
        for name, done, unit, total, whole in bars:
            self.watch.at(name, _bytes(done, unit), _bytes(total, whole))


def run_drawn(argv: Sequence[str], environ: Mapping[str, str], watch: ByteWatch) -> Finished:
    """Run uv on a terminal of its own and tell the watch what it draws. Raises `ToolMissing`, `OSError`."""
    import pty

    ours, theirs = pty.openpty()
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, ours)
        with contextlib.ExitStack() as there:
            there.callback(os.close, theirs)
            _resize(theirs)
            process = _started(argv, environ, theirs)
        with ended_with_us(process):
            said = _follow(ours, Drawing(watch))
            process.wait()
    return Finished(code=process.returncode, err=said)


def _started(argv: Sequence[str], environ: Mapping[str, str], terminal: int) -> subprocess.Popen[bytes]:
    plain = {name: value for name, value in environ.items() if name not in ("NO_COLOR", "UV_NO_PROGRESS")}
    try:
        return subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=terminal,
            env={**plain, "TERM": "xterm", "COLUMNS": str(_COLUMNS)},
            start_new_session=True,
        )
    except OSError as error:
        raise ToolMissing(
            f"`{argv[0]}` cannot be started: {error.strerror}.", hint="check that it is there and may be run."
        ) from error


def _follow(terminal: int, drawing: Drawing) -> str:
    """Reads until uv ends. Gives the last of what it said, without what it drew."""
    said, decoder = "", codecs.getincrementaldecoder("utf-8")("replace")
    while True:
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:
            # On Linux the end of the other side is an error of input.
            piece = b""
        if not piece:
            drawing.end()
            return _without_frames(said)
        text = decoder.decode(piece)
        drawing.read(text)
        said = (said + text)[-_KEPT:]


def _without_frames(said: str) -> str:
    rows = _ESCAPE.sub("", re.sub(r"\x1b\[2K|\r\n?", "\n", said)).splitlines()
    drawn = (row for row in rows if not (_FRAME.search(row) or _BAR.search(f"{row} ")))
    return "\n".join(row.rstrip() for row in drawn if row.strip())


def _bytes(number: str, unit: str) -> int:
    try:
        return int(float(number) * _UNITS[unit])
    except ValueError:
        return 0


def _resize(terminal: int) -> None:
    if sys.platform == "win32":
        return
    import fcntl
    import struct
    import termios

    with contextlib.suppress(OSError):
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
