"""One at a time: a lock on an environment that a dead process does not hold."""

from __future__ import annotations

import errno
import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from dlsetup.model.errors import StepFailed

_TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
_PAUSE = 0.1
_FAR = 1 << 30
"""Windows locks bytes, and nobody else may read them: one that no file reaches."""


@contextmanager
def turn(
    state: Path, environment: Path, *, wait: float = 0, tell: Callable[[str], None] = lambda text: None
) -> Iterator[bool]:
    """Inside, no other dlsetup of this user changes the environment. Gives whether it had to be waited for.

    The system takes the lock from a process that ends, however it ends. `tell` hears whom is waited for.
    Raises `StepFailed` if the lock is not free within `wait` seconds.
    """
    with _opened(_lock_file(state, environment)) as file:
        waited = not _lock(file)
        if waited:
            _wait_for(file, environment, wait, tell)
        file.seek(0)
        file.truncate()
        file.write(f"{os.getpid()}\n".encode())
        file.flush()
        yield waited


def is_taken(state: Path, environment: Path) -> bool:
    """Whether somebody is at work on the environment now. Writes nothing."""
    try:
        with _lock_file(state, environment).open("rb") as file:
            return not _lock(file, shared=True)
    except (OSError, StepFailed):
        return False


def _wait_for(file: BinaryIO, environment: Path, wait: float, tell: Callable[[str], None]) -> None:
    busy = f"{_holder(file)} is at work on `{environment}`"
    if wait > 0:
        tell(f"{busy}; waiting up to {wait:.0f} s.")
    end = time.monotonic() + wait
    while time.monotonic() < end:
        time.sleep(_PAUSE)
        if _lock(file):
            return
    raise StepFailed(f"{busy}.", hint="wait until it has ended, then run the command again.")


def _lock_file(state: Path, environment: Path) -> Path:
    name = hashlib.sha256(os.fsencode(os.path.realpath(environment))).hexdigest()[:16]
    return state / "locks" / name


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """The file is never removed: who waits for it would hold a lock on a name that is gone."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StepFailed(
            f"the journal cannot be kept in `{path.parent.parent}`: {error.strerror}.",
            hint="name a folder that you may write to with the variable `DLSETUP_STATE`.",
        ) from error
    with open(handle, "r+b") as file:
        yield file


def _holder(file: BinaryIO) -> str:
    file.seek(0)
    number = file.read(32).decode("ascii", "replace").strip()
    return f"process {number}" if number.isdigit() else "another process"


def _lock(file: BinaryIO, *, shared: bool = False) -> bool:
    """Whether the lock is ours now. Raises `StepFailed` where the file system has no locks."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(_FAR)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _TAKEN:
            return False
        raise StepFailed(
            f"no lock can be held on `{file.name}`: {error.strerror}.",
            hint="name a folder on a disk of this computer with the variable `DLSETUP_STATE`.",
        ) from error
    return True
