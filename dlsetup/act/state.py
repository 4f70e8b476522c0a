"""The folder in which dlsetup remembers what it did, and writes to it that outlast a power cut."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from dlsetup.model.errors import StepFailed


def state_folder(environ: Mapping[str, str]) -> Path:
    """`$DLSETUP_STATE`, else the user's folder for the state of programs (`$XDG_STATE_HOME` holds).

    The lock on an environment lies beside that, so that two folders do not let two change it at once.
    Raises `StepFailed`.
    """
    if environ.get("DLSETUP_STATE"):
        return Path(os.path.abspath(environ["DLSETUP_STATE"]))
    from platformdirs import user_state_path

    try:
        return user_state_path("dlsetup", appauthor=False)
    except RuntimeError as error:
        raise StepFailed(
            "this user has no home folder to keep a journal in.",
            hint="name a folder with the variable `DLSETUP_STATE`.",
        ) from error


def write_durably(path: Path, data: bytes) -> None:
    """The whole file, on the disk, or the one that was there before. Raises `OSError`."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.part")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """The names in a folder are on the disk. Where folders cannot be opened (Windows) nothing is done."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_files(folder: Path) -> None:
    """Everything that was written to the file system of a folder is on the disk."""
    if sys.platform == "linux":
        import ctypes

        library = ctypes.CDLL(None, use_errno=True)
        handle = os.open(folder, os.O_RDONLY)
        try:
            if hasattr(library, "syncfs") and library.syncfs(handle) == 0:
                return
        finally:
            os.close(handle)
    if hasattr(os, "sync"):
        os.sync()
