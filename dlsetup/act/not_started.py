"""Why the system did not start a program that somebody named: its own word may name the wrong file."""

from __future__ import annotations

import contextlib
import errno
import os
import shlex
import shutil
from pathlib import Path

_PRESENT = "check that it is there and may be run"


def why_not_started(program: str, path: str | None, error: OSError | ValueError) -> tuple[str, str]:
    """The reason, and a hint. `path`: the folders of programs, as in PATH."""
    reason = getattr(error, "strerror", None) or str(error)
    number = getattr(error, "errno", None)
    named = program if os.sep in program else shutil.which(program, path=path)
    place = Path(named or "")
    if not place.is_file():
        return reason, _PRESENT
    if number == errno.ENOENT:
        return _without_interpreter(place)
    if number == errno.ENOEXEC:
        return f"{reason}: it is no program of this system, and its first line names none (`#!`)", (
            "put the program that reads it before it, as in `dlsetup run -- sh FILE`"
        )
    if number == errno.EACCES and not os.access(place, os.X_OK):
        return "it is not marked as a program", f"`chmod +x {shlex.quote(program)}`"
    return reason, _PRESENT


def _without_interpreter(place: Path) -> tuple[str, str]:
    """Of a script the system says that it is not there, where what its first line names is not."""
    first = b""
    with contextlib.suppress(OSError), place.open("rb") as file:
        first = file.readline(256)
    words = first[2:].decode(errors="replace").split() if first.startswith(b"#!") else []
    if words and not Path(words[0]).exists():
        return f"its first line names `{words[0]}`, which is not there", (
            "an environment that was moved has such scripts: make it anew, or run `python -m NAME` in it"
        )
    return "it is there, and what the system needs to load it is not", (
        "it may be made for another processor or C library: `file` tells"
    )
