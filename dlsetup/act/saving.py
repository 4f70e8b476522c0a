"""Files that are there whole or not at all, several of them all or none."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from dlsetup.act.interruption import undisturbed
from dlsetup.model.errors import StepFailed


def save(path: Path, text: str) -> None:
    """Write `text` to `path`, over an older file of that name, behind the links that lead there.

    Raises `StepFailed`, nothing changed then. What is no plain file (a device, a pipe) is never replaced,
    nor is a file that its owner has made read-only.
    """
    save_all({path: text})


def save_all(texts: Mapping[Path, str]) -> None:
    """The same for several files: all of them are written, or none. Permissions stay as they are.

    Raises `StepFailed`. Everything that can fail is done beside the places before the first is replaced.
    """
    with contextlib.ExitStack() as stack:
        beside = [
            (path, stack.enter_context(_beside(path, number, text)))
            for number, (path, text) in enumerate(texts.items())
        ]
        stack.enter_context(undisturbed())
        former: list[tuple[Path, bytes | None]] = []
        for path, neighbour in beside:
            place = Path(os.path.realpath(path))
            with _told(path):
                try:
                    former.append((place, place.read_bytes() if place.exists() else None))
                    os.replace(neighbour, place)
                except BaseException:
                    _put_back(former)
                    raise


@contextlib.contextmanager
def _beside(path: Path, number: int, text: str) -> Iterator[Path]:
    """The text in a file beside its place, which is gone afterwards if it is still there."""
    place = Path(os.path.realpath(path))
    neighbour = place.parent / f".{place.name[:200]}.{os.getpid()}-{number}.part"
    try:
        with _told(path):
            _refuse_to_replace(place)
            neighbour.write_bytes(text.encode("utf-8"))
            if place.exists():
                shutil.copymode(place, neighbour)
        yield neighbour
    finally:
        with contextlib.suppress(OSError):
            neighbour.unlink(missing_ok=True)


def _put_back(former: list[tuple[Path, bytes | None]]) -> None:
    """What stood in the places before."""
    for place, content in former:
        with contextlib.suppress(OSError):
            if content is None:
                place.unlink(missing_ok=True)
            elif place.read_bytes() != content:
                place.write_bytes(content)


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, UnicodeError) as exc:
        raise StepFailed(
            f"cannot write `{path}`: {getattr(exc, 'strerror', None) or exc}",
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
