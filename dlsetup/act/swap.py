"""A folder takes the place of another: in one instant where the system can, else in two renames."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_NOT_OFFERED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP)


def put_in_place(new: Path, place: Path, *, aside: Path) -> Path:
    """Afterwards `place` holds what was `new`; gives the path where the former folder now lies.

    That is `new` where the system can exchange two names at once, else `aside`, which must be free. A
    failure leaves both as they were. Raises `OSError`.
    """
    try:
        _exchange(new, place)
    except OSError as error:
        if error.errno not in _NOT_OFFERED:
            raise
        put_in_place_in_turn(new, place, aside=aside)
        return aside
    return new


def put_in_place_in_turn(new: Path, place: Path, *, aside: Path) -> None:
    """The same in two renames: between them there is nothing at `place`, only at `aside`."""
    place.rename(aside)
    try:
        new.rename(place)
    except BaseException:
        aside.rename(place)
        raise


def _exchange(one: Path, other: Path) -> None:
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "renameat2"):
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    names = os.fsencode(one), os.fsencode(other)
    if library.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), str(other))
