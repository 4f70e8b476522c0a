"""Ctrl-C, SIGTERM and SIGHUP as one thing: an interruption that leaves time to tidy up."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


@contextmanager
def interruptible() -> Iterator[None]:
    """Inside, each of the signals raises `KeyboardInterrupt`."""
    with _handled_by(_interrupt):
        yield


@contextmanager
def undisturbed() -> Iterator[None]:
    """Inside, the signals are ignored: tidying up is short and must come to its end."""
    with _handled_by(signal.SIG_IGN):
        yield


def _interrupt(number: int, frame: Any) -> NoReturn:
    raise KeyboardInterrupt


@contextmanager
def _handled_by(handler: Callable[[int, Any], Any] | signal.Handlers) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    before = [(number, signal.getsignal(number)) for number in numbers]
    for number, former in before:
        # A program started with `nohup` or in the background ignores a signal on purpose.
        if former is not signal.SIG_IGN:
            signal.signal(number, handler)
    try:
        yield
    finally:
        for number, former in before:
            if former is not None:
                signal.signal(number, former)
