"""One at a time: a lock on an environment that a dead process does not hold.

    .NAME.turn    beside the environment, or the place where one is to be; there only while somebody works

Whoever works on the environment sees this file, whatever folder his journal lies in. Where nothing can be
written beside it, or the file system there has no locks, the file lies in the state folder.
"""

from __future__ import annotations

import contextlib
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
    """Inside, no other dlsetup changes the environment. Gives whether it had to be waited for.

    The system takes the lock from a process that ends, however it ends; programs that it has started with
    `holds_turn` have it as well. `tell` hears whom is waited for.
    Raises `StepFailed` if the lock is not free within `wait` seconds.
    """
    file, waited = _held(state, environment, wait, tell)
    try:
        if os.name != "nt":
            os.set_inheritable(file.fileno(), True)
        file.seek(0)
        file.truncate()
        file.write(f"{os.getpid()}\n".encode())
        file.flush()
        yield waited
    finally:
        _let_go(file)


def is_taken(state: Path, environment: Path) -> bool:
    """Whether somebody is at work on the environment now. Writes nothing."""
    return any(_is_held(path) for path in _lock_files(state, environment))


def is_left(state: Path, environment: Path) -> bool:
    """Whether a process that was killed left the file of its lock behind. The next turn removes it."""
    return any(path.exists() for path in _lock_files(state, environment)) and not is_taken(state, environment)


def _held(state: Path, environment: Path, wait: float, tell: Callable[[str], None]) -> tuple[BinaryIO, bool]:
    """The locked file, and whether it was waited for."""
    end = time.monotonic() + wait
    waited = False
    while True:
        file, locked = _opened(state, environment)
        if locked and _has_its_name(file):
            return file, waited
        busy = "" if locked else f"{_holder(file)} is at work on `{environment}`"
        file.close()
        if not busy:
            continue
        if time.monotonic() >= end:
            raise StepFailed(f"{busy}.", hint="wait until it has ended, then run the command again.")
        if not waited:
            tell(f"{busy}; waiting up to {wait:.0f} s.")
        waited = True
        time.sleep(_PAUSE)


def _let_go(file: BinaryIO) -> None:
    """The name goes first: who gets the lock afterwards sees that, and begins again."""
    with contextlib.suppress(OSError):
        if _has_its_name(file):
            os.unlink(file.name)
    file.close()


def _lock_files(state: Path, environment: Path) -> tuple[Path, Path]:
    place = Path(os.path.realpath(environment))
    name = hashlib.sha256(os.fsencode(place)).hexdigest()[:16]
    return place.with_name(f".{place.name}.turn"), state / "locks" / name


def _opened(state: Path, environment: Path) -> tuple[BinaryIO, bool]:
    """The first of the files that can be locked at all, and whether the lock is ours now."""
    beside, own = _lock_files(state, environment)
    with contextlib.suppress(OSError):
        return _tried(beside)
    try:
        own.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return _tried(own)
    except OSError as error:
        raise StepFailed(
            f"the journal cannot be kept in `{state}`: {error.strerror}.",
            hint="name a folder on a disk of this computer, that you may write to, with the variable "
            "`DLSETUP_STATE`.",
        ) from error


def _tried(path: Path) -> tuple[BinaryIO, bool]:
    """Raises `OSError` where the file cannot be written or the file system has no locks."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(open(path, "r+b", opener=lambda name, _: os.open(name, flags, 0o600)))
        locked = _lock(file)
        stack.pop_all()
    return file, locked


def _has_its_name(file: BinaryIO) -> bool:
    """Whether others who open the name come to this very file."""
    try:
        return os.path.samestat(os.lstat(file.name), os.fstat(file.fileno()))
    except OSError:
        return False


def _is_held(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return not _lock(file, shared=True)
    except OSError:
        return False


def _holder(file: BinaryIO) -> str:
    file.seek(0)
    number = file.read(9).decode("ascii", "replace").strip()
    if not number.isdigit():
        return "another process"
    import psutil

    return f"process {number}" if psutil.pid_exists(int(number)) else f"what process {number} has started"


def _lock(file: BinaryIO, *, shared: bool = False) -> bool:
    """Whether the lock is ours now. Raises `OSError` where the file system has no locks."""
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
        raise
    return True
