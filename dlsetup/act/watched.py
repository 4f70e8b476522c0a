"""Runs a command of the user as the shell would: its streams, its signals and its exit code are its own."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from dlsetup.act.not_started import why_not_started
from dlsetup.act.relay import Streams
from dlsetup.model.errors import ToolMissing
from dlsetup.model.record import Record
from dlsetup.probe.kept import Kept
from dlsetup.probe.programs import signal_name

HEAD, TAIL = 128 << 10, 1 << 20
"""Bytes that are kept of the beginning and of the end of what a command says."""
_FROM_KEYS = ("SIGINT", "SIGQUIT")
"""A terminal sends them to all in front of it."""
_HANDED_ON = (*_FROM_KEYS, "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")
_ENDING = frozenset({"SIGINT", "SIGTERM", "SIGHUP"})


class NoSuchCommand(ToolMissing):
    """As the shell has it."""

    exit_code = 127


class NotRunnable(ToolMissing):
    """It is there and cannot be started."""

    exit_code = 126


class Ended(Record, frozen=True, kw_only=True):
    """How a command ended, and what it said."""

    exit_code: int
    """128 and the number of the signal that ended it."""
    signal: str = ""
    beginning: bytes = b""
    end: bytes = b""
    """What follows after a gap; empty where `beginning` is all."""
    output_bytes: int = 0
    interrupted: bool = False
    """Whether somebody asked it to end."""


def run_watched(
    argv: Sequence[str], environ: Mapping[str, str], started: Callable[[int], None], *, quiet: bool = False
) -> Ended:
    """Run a command to its end, and what it says goes where ours would. `started` hears its process.

    `quiet`: what it says is kept alone. Raises `ToolMissing` if it cannot be started.
    """
    streams = Streams()
    kept = Kept(HEAD, TAIL)
    heard: set[str] = set()
    with _signals(streams, heard) as hand_on:
        process = _start(argv, environ, streams)
        relays = streams.relays(kept, quiet=quiet)
        hand_on(process)
        started(process.pid)
        code = process.wait()
        for relay in relays:
            relay.finish()
    beginning, end = kept.parts()
    return Ended(
        exit_code=128 - code if code < 0 else code,
        signal=signal_name(-code) if code < 0 else "",
        beginning=beginning,
        end=end,
        output_bytes=kept.total,
        interrupted=bool(heard & _ENDING),
    )


def _start(argv: Sequence[str], environ: Mapping[str, str], streams: Streams) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            argv, stdout=streams.out, stderr=streams.err, env=dict(environ), start_new_session=not _in_front()
        )
    except (OSError, ValueError) as error:
        streams.drop()
        reason, hint = why_not_started(argv[0], environ.get("PATH"), error)
        kind = NoSuchCommand if isinstance(error, FileNotFoundError) else NotRunnable
        raise kind(f"`{argv[0]}` cannot be started: {reason}", hint=hint) from error


def _in_front() -> bool:
    """Whether the terminal sends its keys to our group: then a command of it gets them from there."""
    if not hasattr(os, "tcgetpgrp"):
        return True
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


@contextlib.contextmanager
def _signals(streams: Streams, names: set[str]) -> Iterator[Callable[[subprocess.Popen[bytes]], None]]:
    """Inside, signals that are sent to us reach the command, once each. Gives whom to tell its process.

    `names` takes those that come. Those that we were told to ignore (`nohup`) the command ignores too.
    """
    shared = _in_front()
    waiting: list[int] = []
    command: list[subprocess.Popen[bytes]] = []

    def heard(number: int, _frame: Any) -> None:
        names.add(signal.Signals(number).name)
        if shared and signal.Signals(number).name in _FROM_KEYS and _in_front():
            return
        if command:
            with contextlib.suppress(OSError):
                command[0].send_signal(number)
        else:
            waiting.append(number)

    def hand_on(process: subprocess.Popen[bytes]) -> None:
        command.append(process)
        while waiting:
            heard(waiting.pop(0), None)

    handlers: dict[str, Any] = dict.fromkeys(_HANDED_ON, heard) | {"SIGWINCH": lambda *_: streams.resize()}
    before = {}
    for name, handler in handlers.items():
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            before[number] = signal.signal(number, handler)
    try:
        yield hand_on
    finally:
        for number, former in before.items():
            signal.signal(number, signal.SIG_DFL if former is None else former)
