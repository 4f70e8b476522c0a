"""A file that is there whole or not at all."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from dlsetup.model.errors import StepFailed


def save(path: Path, text: str) -> None:
    """Write `text` to `path`, over an older file of that name, behind the links that lead there.

    Raises `StepFailed`, nothing changed then. What is no plain file (a device, a pipe) is never replaced,
    nor is a file that its owner has made read-only.
    """
    place = Path(os.path.realpath(path))
    neighbour = place.parent / f".{place.name[:200]}.{os.getpid()}.part"
    try:
        _refuse_to_replace(place)
        neighbour.write_text(text, encoding="utf-8")
        os.replace(neighbour, place)
    except OSError as exc:
        with contextlib.suppress(OSError):
            neighbour.unlink()
        raise StepFailed(
            f"cannot write `{path}`: {exc.strerror or exc}",
            hint="name a file in a folder that you can write to",
        ) from exc


def _refuse_to_replace(place: Path) -> None:
    """A file takes the place of whatever has its name: a root who names `/dev/null` would lose the device."""
    if place.is_dir():
        raise OSError("it is a folder")
    if os.path.lexists(place) and not place.is_file():
        raise OSError("it is no plain file")
    if os.path.lexists(place) and not os.access(place, os.W_OK):
        raise OSError("it is read-only")
