"""The place an environment goes to, and the neighbour in which it is built.

    NAME                       where it goes; nothing that is there already is ever touched
    .NAME.building-PID-HOST    where it is built; renamed to NAME when it is well, else removed

A neighbour whose process is dead (kill -9, power cut) is removed by the next build of that name.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from dlsetup.act.interruption import undisturbed
from dlsetup.act.neighbour import host_mark, maker_lives, owner_mark
from dlsetup.model.errors import StepFailed, UsageError
from dlsetup.plan.environment import Place

_LONGEST = 120
_ALLOWED = " ._-+@=,()"
"""Signs that no shell acts on when it shows the name in its prompt."""
_TRIES = 5


def place_for(name: str, folder: str) -> Place:
    """The place that a name or path stands for. Raises `UsageError` for a name that cannot be used."""
    if not name or not name.isprintable():
        raise UsageError("the environment needs a name of printable signs.", hint="for example `demo`.")
    path = Path(os.path.abspath(os.path.join(folder, name)))
    _check_name(path.name)
    if os.pathsep in str(path):
        raise UsageError(
            f"`{path}` holds `{os.pathsep}`, which separates the entries of PATH.",
            hint="choose another place.",
        )
    return Place(final=str(path), work=str(_neighbour(path)), windows=sys.platform == "win32")


def place_to_show(place: Place) -> Place:
    """The place as the steps of a dry run name it: without the number of a process that ends at once."""
    path = Path(place.final)
    return replace(place, work=str(path.with_name(f".{path.name}.building")))


def _check_name(name: str) -> None:
    if not name:
        raise UsageError("the root of the file system is no environment.", hint="for example `demo`.")
    odd = next((sign for sign in name if not sign.isalnum() and sign not in _ALLOWED), None)
    if odd is not None:
        raise UsageError(
            f"the name {name!r} holds `{odd}`, which some shell acts on once the environment is active.",
            hint=f"use letters, digits, spaces and any of `{_ALLOWED.strip()}`.",
        )
    if name.startswith("-"):
        raise UsageError(f"`{name}` begins like an option.", hint="choose a name that begins with a letter.")
    if len(os.fsencode(name)) > _LONGEST:
        raise UsageError(
            f"the name is longer than {_LONGEST} bytes: `{name[:30]}…`.", hint="choose a shorter one."
        )


def check_free(place: Place, *, empty_folder: bool = True) -> None:
    """Raises `UsageError` if something is at the place. An empty folder may be, where that is allowed."""
    path = Path(place.final)
    try:
        if not path.parent.is_dir():
            raise UsageError(
                f"the folder `{path.parent}` does not exist.", hint="make it first, or choose another place."
            )
        if empty_folder and path.is_dir() and not path.is_symlink() and not any(path.iterdir()):
            return
        taken = os.path.lexists(path)
    except OSError as error:
        raise UsageError(
            f"`{path}` cannot be looked at: {error.strerror}.", hint="choose another place."
        ) from error
    if taken:
        raise UsageError(
            f"`{path}` exists already and is left as it is.", hint="choose another name, or remove it first."
        )


def _neighbour(path: Path) -> Path:
    return path.with_name(f".{path.name}.building-{owner_mark()}")


@contextmanager
def workplace(place: Place, *, in_place: bool = False) -> Iterator[None]:
    """The neighbour exists inside; whatever is left of it at the end is removed.

    `in_place`: what is built at the place itself is removed as well, if the inside fails.
    Raises `UsageError` where nothing can be written.
    """
    if in_place:
        check_free(place, empty_folder=False)
    try:
        os.mkdir(place.work)
    except OSError as error:
        where = os.path.dirname(place.work)
        raise UsageError(
            f"nothing can be written in `{where}`: {error.strerror}.", hint="choose another place."
        ) from error
    try:
        yield
    except BaseException:
        if in_place:
            with undisturbed():
                remove(Path(place.final))
        raise
    finally:
        with undisturbed():
            remove(Path(place.work))


def put_into_place(place: Place) -> None:
    """The neighbour becomes the environment. Raises `StepFailed` if something is there by now."""
    try:
        if place.windows and os.path.isdir(place.final):
            os.rmdir(place.final)
        os.rename(place.work, place.final)
    except OSError as error:
        raise StepFailed(
            f"`{place.final}` cannot be put into place: {error.strerror}.",
            hint="something else was made there meanwhile; choose another name.",
        ) from error


def remove_leftovers(place: Place) -> tuple[str, ...]:
    """Removes what builds of that name left whose process is dead. Gives the paths."""
    final = Path(place.final)
    form = re.compile(rf"\.{re.escape(final.name)}\.building-(\d{{1,10}})-{host_mark()}")
    removed = []
    for path in sorted(final.parent.iterdir()) if final.parent.is_dir() else []:
        found = form.fullmatch(path.name)
        if found is None or path.is_symlink() or not path.is_dir() or maker_lives(int(found[1]), path):
            continue
        if (path / "environment.yml").exists() and _unfinished_conda(final):
            remove(final)
            removed.append(str(final))
        remove(path)
        removed.append(str(path))
    return tuple(removed)


def _unfinished_conda(final: Path) -> bool:
    """A conda tool was at work there for a build that never ended: a finished one has its passport."""
    begun = any((final / name).exists() for name in ("conda-meta", "pixi.toml"))
    return begun and not final.is_symlink() and not (final / "dlsetup.json").exists()


def remove(folder: Path) -> None:
    """Removes a folder with all that is in it, also while a dying process still writes there."""
    for wait in range(_TRIES):
        if not os.path.lexists(folder):
            return
        _allow_removal(folder)
        shutil.rmtree(folder, ignore_errors=True)
        if os.path.lexists(folder):
            time.sleep(0.1 * (wait + 1))


def _allow_removal(folder: Path) -> None:
    """A folder without write permission keeps its entries. Links are not followed out of it."""
    with contextlib.suppress(OSError):
        os.chmod(folder, stat.S_IRWXU)
    for where, folders, files in os.walk(folder):
        for name in folders if sys.platform != "win32" else [*folders, *files]:
            path = os.path.join(where, name)
            if not os.path.islink(path) and not os.access(path, os.W_OK | os.X_OK):
                with contextlib.suppress(OSError):
                    os.chmod(path, stat.S_IRWXU)
