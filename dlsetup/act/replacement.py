"""An environment is mended in a copy that takes its place only when somebody says that it is well.

    .NAME.mending-PID-HOST    the copy that is worked on; after the exchange, the former environment
    .NAME.before-PID-HOST     the former environment, where the two cannot be exchanged at once

Both lie beside the environment. What a dead process left there is put right by `recover`.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dlsetup.act.copying import Witness, altered, bytes_to_copy, copy_tree
from dlsetup.act.interruption import undisturbed
from dlsetup.act.neighbour import host_mark, maker_lives, owner_mark
from dlsetup.act.swap import put_in_place
from dlsetup.act.workplace import remove
from dlsetup.model.errors import StepFailed

_SPARE_BYTES = 32 << 20


class Replacement:
    """A copy of `original` at `copy`. Only `accept` touches the original."""

    def __init__(self, original: Path, copy: Path, witnesses: tuple[Witness, ...]) -> None:
        self.original = original
        self.copy = copy
        self._witnesses = witnesses
        self._settings = (original / "pyvenv.cfg").read_text("utf-8")
        self._write_settings(_relocatable(self._settings))

    def accept(self) -> None:
        """The copy takes the place of the original. Raises `StepFailed`, and then nothing has changed."""
        touched = altered(self._witnesses)
        if touched is not None:
            raise StepFailed(
                f"`{touched.path}` changed while the copy was worked on, so the copy is not used.",
                hint="end what else writes to the environment, then run the command again.",
            )
        self._write_settings(self._settings)
        try:
            with undisturbed():
                put_in_place(self.copy, self.original, aside=_aside(self.original))
        except OSError as error:
            raise StepFailed(
                f"the mended copy cannot take the place of `{self.original}`: {error.strerror}.",
                hint="the environment is as it was.",
            ) from error

    def _write_settings(self, text: str) -> None:
        """By way of a neighbour: what is there is never written in place."""
        place = self.copy / "pyvenv.cfg"
        fresh = self.copy / "pyvenv.cfg.new"
        fresh.write_text(text, "utf-8")
        shutil.copystat(self.original / "pyvenv.cfg", fresh)
        fresh.replace(place)


@contextmanager
def replacement(environment: Path, *, links: bool, room_bytes: int = 0) -> Iterator[Replacement]:
    """A copy to work on. Whatever happens: afterwards one environment, and nothing beside it.

    `links`: big files may be hard links. `room_bytes`: what the work needs beside the copy. Scripts that
    uv writes into the copy find their Python beside themselves, wherever that is. Raises `StepFailed`
    where the disk has too little room or the copy cannot be made.
    """
    original = environment.resolve()
    copy = original.with_name(f".{original.name}.mending-{owner_mark()}")
    try:
        yield _copied(original, copy, links, room_bytes)
    finally:
        with undisturbed():
            _tidy(original, copy, _aside(original))


def recover(environment: Path) -> tuple[str, ...]:
    """Puts right what a dead process left beside an environment, and says so.

    Raises `StepFailed` while a living process mends it.
    """
    environment = environment.resolve()
    said: list[str] = []
    # A former environment comes first: once it is back in its place, every other leftover can go.
    for leftover, process in _leftovers(environment):
        if maker_lives(process, leftover):
            raise StepFailed(
                f"process {process} is mending `{environment}`.",
                hint="wait until it has ended, then run the command again.",
            )
        lost = not os.path.lexists(environment)
        if lost and ".before-" in leftover.name:
            leftover.rename(environment)
            said.append(f"`{environment}` is back in its place: a run that was killed had moved it aside.")
        elif not lost:
            remove(leftover)
            said.append(f"`{leftover}`, left by a run that was killed, is removed.")
    return tuple(said)


def _copied(original: Path, copy: Path, links: bool, room_bytes: int) -> Replacement:
    try:
        _check_room(original, bytes_to_copy(original, links=links) + room_bytes)
        return Replacement(original, copy, copy_tree(original, copy, links=links))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise StepFailed(
            f"`{original}` cannot be copied to mend the copy: {reason}.",
            hint="the environment is as it was.",
        ) from error


def _tidy(original: Path, copy: Path, aside: Path) -> None:
    if os.path.lexists(aside) and not os.path.lexists(original):
        aside.rename(original)
    remove(aside)
    remove(copy)


def _aside(original: Path) -> Path:
    return original.with_name(f".{original.name}.before-{owner_mark()}")


def _relocatable(settings: str) -> str:
    bare = re.sub(r"^\s*relocatable\s*=.*\n?", "", settings, flags=re.MULTILINE | re.IGNORECASE)
    return f"{bare.rstrip()}\nrelocatable = true\n"


def _check_room(original: Path, needed: int) -> None:
    free = shutil.disk_usage(original.parent).free
    if free < needed + _SPARE_BYTES:
        raise StepFailed(
            f"mending a copy of `{original}` takes {needed >> 20} MiB, and {free >> 20} MiB are free there.",
            hint="free some room on that disk, then run the command again.",
        )


def _leftovers(environment: Path) -> list[tuple[Path, int]]:
    if not environment.parent.is_dir():
        return []
    form = re.compile(rf"\.{re.escape(environment.name)}\.(?:before|mending)-(\d{{1,10}})-{host_mark()}")
    paths = sorted(path for path in environment.parent.iterdir() if path.is_dir() and not path.is_symlink())
    return [(path, int(found[1])) for path in paths if (found := form.fullmatch(path.name))]
