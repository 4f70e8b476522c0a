"""An environment is mended in a copy that takes its place only when somebody says that it is well.

The former environment is kept beside it. What a killed run left is put right by `recovery.recover`.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path

from msgspec.structs import replace

from dlsetup import __version__
from dlsetup.act.copying import copy_tree, cost, means_for
from dlsetup.act.exchange import exchange, former_folder, whereabouts, work_folder
from dlsetup.act.holdings import conda_holdings, holdings
from dlsetup.act.interruption import undisturbed
from dlsetup.act.inventory import differences, inventory
from dlsetup.act.journal import Journal
from dlsetup.act.neighbour import host_mark
from dlsetup.act.workplace import remove
from dlsetup.model.errors import StepFailed
from dlsetup.model.journal import CopyCost, Entry
from dlsetup.model.record import Record

_SPARE_BYTES = 32 << 20


class About(Record, frozen=True, kw_only=True):
    """What the journal says of a change that nothing else tells it."""

    what: str
    mends: tuple[str, ...] = ()
    indexes: tuple[str, ...] = ()


class Replacement:
    """A copy of `original` at `copy`. Only `accept` touches the original."""

    def __init__(self, journal: Journal, entry: Entry) -> None:
        self.journal = journal
        self.entry = entry
        self.original = Path(entry.environment)
        self.copy = Path(entry.work)
        self._settings = ""

    def fill(self, taken: CopyCost) -> None:
        """Makes the copy. Raises `OSError`."""
        self._held = copy_tree(self.original, self.copy, taken.means)
        self.journal.write_inventory(self.entry, "before", self._held)
        self._settings = (self.original / "pyvenv.cfg").read_text("utf-8")
        self._write_settings(_relocatable(self._settings))

    def accept(self) -> Entry:
        """The copy takes the place of the original, which is kept. Raises `StepFailed`: nothing changed."""
        touched = next(differences(self.original, self._held), None)
        if touched is not None:
            raise StepFailed(
                f"`{self.original / touched}` changed while the copy was worked on, so the copy is not used.",
                hint="end what else writes to the environment, then run the command again.",
            )
        try:
            self._write_settings(self._settings)
            after = holdings(self.copy)
            self.journal.write_inventory(self.entry, "after", inventory(self.copy, hashes=False))
        except OSError as error:
            raise not_copied(self.original, error) from error
        self.entry = exchange(self.journal, self.journal.write(replace(self.entry, after=after)))
        return self.entry

    def drop(self, why: str) -> None:
        """The copy goes. What fails here is done by the next command."""
        self.entry = replace(self.entry, state="reverted", why=why)
        remove(self.copy)
        with contextlib.suppress(OSError, StepFailed):
            self.journal.write(self.entry)
            self.journal.drop_inventories(self.entry)

    def _write_settings(self, text: str) -> None:
        """By way of a neighbour: what is there is never written in place."""
        place = self.copy / "pyvenv.cfg"
        fresh = self.copy / "pyvenv.cfg.new"
        fresh.write_text(text, "utf-8")
        shutil.copystat(self.original / "pyvenv.cfg", fresh)
        fresh.replace(place)


def weigh(environment: Path, *, links: bool, room_bytes: int = 0) -> CopyCost:
    """What a copy of an environment will take. Raises `StepFailed` where there is too little room.

    `links`: big files may be hard links. `room_bytes`: what the work needs beside the copy.
    """
    original = environment.resolve()
    try:
        taken = cost(original, means_for(original, links=links))
    except OSError as error:
        raise not_copied(original, error) from error
    needed = taken.written + room_bytes
    if taken.free < needed + _SPARE_BYTES:
        raise StepFailed(
            f"mending a copy of `{original}` takes {needed >> 20} MiB, and {taken.free >> 20} MiB are free "
            "there.",
            hint="free some room on that disk, then run the command again.",
        )
    return taken


@contextmanager
def replacement(environment: Path, journal: Journal, about: About, taken: CopyCost) -> Iterator[Replacement]:
    """A copy to work on, in the journal before anything is written. Whoever calls has the lock.

    Afterwards there is one environment: the accepted copy, with the former one kept beside it, or the
    original, with nothing beside it. Scripts that uv writes into the copy find their Python beside
    themselves, wherever that is. Raises `StepFailed` where the copy cannot be made.
    """
    original = environment.resolve()
    try:
        entry = journal.write(entry_of(original, journal, about, taken))
    except OSError as error:
        raise not_copied(original, error) from error
    work = Replacement(journal, entry)
    why = "the mended copy was not well"
    try:
        try:
            work.fill(taken)
        except (OSError, UnicodeDecodeError) as error:
            raise not_copied(original, error) from error
        yield work
    except BaseException as error:
        why = getattr(error, "message", "") or f"it was interrupted ({type(error).__name__})"
        raise
    finally:
        if work.entry.state == "begun" and whereabouts(entry) not in ("work", "former"):
            with undisturbed():
                work.drop(why)


def begun(
    journal: Journal, environment: Path, what: str, *, kind: str = "fix", mends: Sequence[str] = ()
) -> Entry:
    """The record of a change that has not changed anything yet. Raises `OSError`.

    There need not be an environment: somebody may have deleted it.
    """
    name = journal.fresh_id()
    return Entry(
        id=name,
        kind="undo" if kind == "undo" else "fix",
        what=what,
        mends=tuple(mends),
        environment=str(environment),
        host=host_mark(),
        process=os.getpid(),
        began=datetime.now(timezone.utc).isoformat(timespec="microseconds"),
        dlsetup=__version__,
        state="begun",
        folder=environment.lstat().st_ino if os.path.lexists(environment) else 0,
        work=str(work_folder(environment, name)),
        former=str(former_folder(environment, name)),
        before=holdings(environment),
        conda_before=conda_holdings(environment),
    )


def entry_of(original: Path, journal: Journal, about: About, taken: CopyCost) -> Entry:
    """The record of a repair that has not changed anything yet. Raises `OSError`."""
    entry = begun(journal, original, about.what, mends=about.mends)
    return replace(entry, indexes=about.indexes, cost=taken)


def not_copied(original: Path, error: OSError | UnicodeDecodeError) -> StepFailed:
    """Why there is nothing to work on; nothing has changed."""
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return StepFailed(
        f"`{original}` cannot be copied to mend the copy: {reason}.", hint="the environment is as it was."
    )


def _relocatable(settings: str) -> str:
    bare = re.sub(r"^\s*relocatable\s*=.*\n?", "", settings, flags=re.MULTILINE | re.IGNORECASE)
    return f"{bare.rstrip()}\nrelocatable = true\n"
