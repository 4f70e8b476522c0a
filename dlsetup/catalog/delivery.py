"""Writing the files of a catalog folder: one whole, or several that belong together, all or none.

Several are first written into a folder beside the others, which one rename then turns into `incoming`. From
that moment on readers look there first (see `folders`), so that they see all of the new files, wherever a
writer stops: `settle` moves them into their places, now or at the next refresh.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from dlsetup.catalog.folders import INCOMING
from dlsetup.model.errors import StepFailed

STAGING = ".staging-"
"""What the folder is called while it is being filled; a number follows."""


def deliver(files: Mapping[str, bytes], folder: Path) -> None:
    """Puts files (by path inside the folder) into a catalog folder: all of them, or none.

    Raises `StepFailed` for a folder that cannot be written to.
    """
    staging = folder / f"{STAGING}{os.getpid()}"
    try:
        settle(folder)
        _clear(folder)
        for relative, content in files.items():
            place = staging / relative
            place.parent.mkdir(parents=True, exist_ok=True)
            _write_down(place, content)
        if files:
            os.rename(staging, folder / INCOMING)
            settle(folder)
    except OSError as exc:
        raise StepFailed(f"cannot write to {folder}: {exc.strerror or exc}") from exc
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def settle(folder: Path) -> None:
    """Moves what a writer delivered and did not put into its places. Raises `OSError`."""
    incoming = folder / INCOMING
    for path in sorted(item for item in incoming.rglob("*") if item.is_file()):
        place = folder / path.relative_to(incoming)
        place.parent.mkdir(parents=True, exist_ok=True)
        os.replace(path, place)
    shutil.rmtree(incoming, ignore_errors=True)


def write_whole(place: Path, content: bytes) -> None:
    """Writes a file so that there is always the old one or the new one, never half of one."""
    place.parent.mkdir(parents=True, exist_ok=True)
    neighbour = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        neighbour.write_bytes(content)
        os.replace(neighbour, place)
    finally:
        neighbour.unlink(missing_ok=True)


def _clear(folder: Path) -> None:
    """What an interrupted writer left behind that nobody ever saw."""
    for left in folder.glob(f"{STAGING}*"):
        if not _alive(left.name.removeprefix(STAGING)):
            shutil.rmtree(left, ignore_errors=True)


def _alive(number: str) -> bool:
    """Whether another process may still be filling its folder."""
    import psutil

    return number.isdigit() and int(number) != os.getpid() and psutil.pid_exists(int(number))


def _write_down(place: Path, content: bytes) -> None:
    """On the disk itself, so that a rename that survives a loss of power names whole files."""
    with place.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
