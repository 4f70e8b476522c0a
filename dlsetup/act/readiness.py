"""Whether an environment may be mended by us at all, asked before anything is changed."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dlsetup.model.machine import Environment

_MOST_NAMED = 3


def obstacle(environment: Environment, *, changing: bool = True) -> str | None:
    """Why this environment is left alone, in a sentence; None: nothing is in the way.

    Who only wants to see the steps (`changing` false) is not kept from it by a program that uses it.
    """
    folder = Path(environment.path)
    return _of_kind(environment) or _of_files(folder) or (_of_use(folder) if changing else None)


def in_the_way(folder: Path) -> str | None:
    """The same of an environment that was mended before; somebody may have deleted it since."""
    if not os.path.lexists(folder):
        return _of_place(folder.parent)
    return _of_files(folder) or _of_use(folder)


def _of_kind(environment: Environment) -> str | None:
    where = f"`{environment.path}`"
    if environment.kind == "conda" and not environment.externally_managed:
        return _of_conda(Path(environment.path))
    if environment.externally_managed or environment.kind == "system":
        return f"{where} belongs to the package manager of the system (PEP 668)."
    if environment.kind != "venv":
        return f"{where} is a Python installation, not a virtual environment: other environments rest on it."
    return None


def _of_conda(folder: Path) -> str | None:
    """Whose business a conda environment is, if not that of whoever calls a conda tool on it."""
    records = folder / "conda-meta"
    if (folder / "condabin").is_dir() or any(records.glob("conda-[0-9]*.json")):
        return f"`{folder}` is the base of a conda installation, on which its tool and its environments rest."
    if (records / "pixi").exists() or folder.parent.parts[-2:] == (".pixi", "envs"):
        return f"`{folder}` is made by pixi from the manifest of a workspace, which would undo any change."
    if (records / "frozen").exists():
        return f"`{folder}` is frozen: its `conda-meta/frozen` forbids any change."
    return None


def _of_files(folder: Path) -> str | None:
    try:
        owner = folder.stat().st_uid
        if not (folder / "pyvenv.cfg").is_file() and not (folder / "conda-meta").is_dir():
            return f"`{folder}` has neither `pyvenv.cfg` nor `conda-meta`, so it is no environment."
    except OSError as error:
        return f"`{folder}` cannot be looked at: {error.strerror}."
    if hasattr(os, "geteuid") and owner != os.geteuid():
        return f"`{folder}` belongs to another user (number {owner})."
    return _of_place(folder) or _of_place(folder.resolve().parent)


def _of_place(place: Path) -> str | None:
    return None if os.access(place, os.W_OK | os.X_OK) else f"nothing can be written in `{place}`."


def _of_use(folder: Path) -> str | None:
    if Path(sys.prefix).resolve() == folder.resolve():
        return (
            f"dlsetup itself runs from `{folder}`: install it elsewhere, for example with `uv tool install`."
        )
    users = sorted(set(_users_of(folder.resolve())))
    if not users:
        return None
    shown = ", ".join(f"{name} (process {number})" for number, name in users[:_MOST_NAMED])
    more = f" and {len(users) - _MOST_NAMED} more" if len(users) > _MOST_NAMED else ""
    return f"`{folder}` is in use by {shown}{more}: end it first."


def _users_of(folder: Path) -> Iterator[tuple[int, str]]:
    """Processes that run the Python of this environment, by number and name."""
    import psutil

    base = {os.path.realpath(path) for path in folder.glob("bin/python*")}
    for process in psutil.process_iter():
        try:
            if _runs_from(process, folder, base):
                yield process.pid, process.name()
        except (psutil.Error, OSError):
            # Gone by now, or of another user, who is told from the owner of the folder.
            continue


def _runs_from(process: Any, folder: Path, base: set[str]) -> bool:
    program = process.exe()
    if Path(program).is_relative_to(folder):
        return True
    if program not in base:
        return False
    called = (process.cmdline() or [""])[0]
    if _called_in(process, called, folder):
        return True
    return any(Path(part.path).is_relative_to(folder) for part in process.memory_maps())


def _called_in(process: Any, called: str, folder: Path) -> bool:
    """A virtual environment is chosen by the path its Python is called by, not by the file behind it."""
    found = called if os.sep in called else shutil.which(called, path=process.environ().get("PATH"))
    if not found:
        return False
    place = Path(process.cwd(), found)
    return (place.parent.resolve() / place.name).is_relative_to(folder)
