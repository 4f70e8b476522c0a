"""Programs that are run for as long as they need, and ended with all their children when we end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence

from dlsetup.act.interruption import undisturbed
from dlsetup.model.errors import ToolMissing
from dlsetup.model.record import Record

_PATIENCE = 5.0
"""Seconds that a program has to end by itself after it was asked to."""


class Finished(Record, frozen=True, kw_only=True):
    """How a program ended. `err` is empty where the user saw it himself."""

    code: int
    out: str = ""
    err: str = ""

    @property
    def ok(self) -> bool:
        return self.code == 0

    @property
    def end(self) -> str:
        """How it failed, in words."""
        if self.code >= 0:
            return f"failed with exit code {self.code}"
        try:
            name = signal.Signals(-self.code).name
        except ValueError:
            name = str(-self.code)
        return f"was ended by the signal {name}"


def run(
    argv: Sequence[str], environ: Mapping[str, str], *, seen: bool = False, holds_turn: bool = False
) -> Finished:
    """Run a program to its end. `seen`: what it says goes to standard error as it is said.

    `holds_turn`: should we be killed, the turn on the environment is the program's until it ends too.

    Whatever interrupts the waiting (Ctrl-C, SIGTERM) ends the program and all that it started.
    Raises `ToolMissing` if it cannot be started.
    """
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr.fileno() if seen else subprocess.PIPE,
            stderr=sys.stderr.fileno() if seen else subprocess.PIPE,
            env=dict(environ),
            close_fds=not holds_turn,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    except OSError as error:
        raise ToolMissing(
            f"`{argv[0]}` cannot be started: {error.strerror}.", hint="check that it is there and may be run."
        ) from error
    with ended_with_us(process):
        out, err = process.communicate()
    return Finished(code=process.returncode, out=_text(out), err=_text(err))


@contextlib.contextmanager
def ended_with_us(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Whatever interrupts the inside ends the program and all that it started."""
    try:
        yield
    except BaseException:
        with undisturbed():
            _end(process)
        raise


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask the whole group to end, then make it."""
    _signal_group(process, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_PATIENCE)
    _signal_group(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_PATIENCE)


def _signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False)
        return
    with contextlib.suppress(OSError):
        os.killpg(process.pid, number)


def _text(output: bytes | None) -> str:
    return (output or b"").decode("utf-8", "replace")
