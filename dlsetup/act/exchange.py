"""The one moment at which an environment changes, and how it is told afterwards on which side of it one is.

    .NAME.mending-ID    a copy that is worked on
    .NAME.half-ID       the environment itself, while its place is worked on
    .NAME.before-ID     the environment that the change ID has replaced

Both lie beside the environment. The journal knows the inode of the folder that was the environment when
the change began: where that folder lies says what has happened, whenever the process was killed.
"""

from __future__ import annotations

import os
from pathlib import Path

from msgspec.structs import replace

from dlsetup.act.interruption import undisturbed
from dlsetup.act.journal import Journal
from dlsetup.act.state import sync_files, sync_folder
from dlsetup.act.swap import put_in_place
from dlsetup.act.workplace import remove
from dlsetup.model.errors import StepFailed, UsageError
from dlsetup.model.journal import Entry


def work_folder(environment: Path, name: str) -> Path:
    """Where the copy for the change of that id lies."""
    return environment.with_name(f".{environment.name}.mending-{name}")


def half_folder(environment: Path, name: str) -> Path:
    """Where the environment lies while its place is worked on."""
    return environment.with_name(f".{environment.name}.half-{name}")


def former_folder(environment: Path, name: str) -> Path:
    """Where the former environment lies once the change of that id is done."""
    return environment.with_name(f".{environment.name}.before-{name}")


def exchange(journal: Journal, entry: Entry) -> Entry:
    """`entry.work` becomes the environment and the former one is kept. Gives the entry as applied.

    Everything is on the disk before the names change, so that a power cut leaves one whole environment or
    the other. Raises `StepFailed`, and then nothing has changed.
    """
    environment = Path(entry.environment)
    try:
        sync_files(environment.parent)
        with undisturbed():
            put_in_place(Path(entry.work), environment, aside=Path(entry.former))
            return finish(journal, entry)
    except OSError as error:
        raise StepFailed(
            f"`{entry.work}` cannot take the place of `{environment}`: {error.strerror}.",
            hint="the environment is as it was.",
        ) from error


def finish(journal: Journal, entry: Entry) -> Entry:
    """After the exchange: the former gets its name, and the journal says that the change is done.

    What fails here is done by the next command: the environment is in its place.
    """
    try:
        name_former(entry)
        if entry.undoes is not None:
            journal.write(replace(journal.named(entry.undoes), state="undone"))
        return journal.write(replace(entry, state="applied"))
    except (OSError, StepFailed, UsageError):
        return replace(entry, state="applied")


def name_former(entry: Entry) -> None:
    """The environment that was replaced gets the name under which it is kept. Raises `OSError`."""
    if _is(Path(entry.work), entry):
        os.rename(entry.work, entry.former)
    sync_folder(Path(entry.former).parent)


def give_back(entry: Entry) -> None:
    """Of a change at the place itself: the former goes back there, and all else goes. Raises `OSError`."""
    environment, held = Path(entry.environment), Path(entry.work)
    spare, place = Path(entry.former), whereabouts(entry)
    if place == "former":
        held, spare = spare, held
    if place in ("work", "former"):
        if os.path.lexists(environment):
            put_in_place(held, environment, aside=spare)
        else:
            os.rename(held, environment)
        sync_folder(environment.parent)
    if place != "nowhere":
        remove(held)
        remove(spare)


def whereabouts(entry: Entry) -> str:
    """Where the folder that was the environment when the change began lies now.

    `place`, `work`, `former`, or `nowhere`.
    """
    places = {"place": entry.environment, "work": entry.work, "former": entry.former}
    return next((name for name, path in places.items() if _is(Path(path), entry)), "nowhere")


def _is(path: Path, entry: Entry) -> bool:
    try:
        return path.lstat().st_ino == entry.folder
    except OSError:
        return False
