"""An environment with fixed paths in it is mended at its own place; the original waits beside it meanwhile.

Tools write the path that they work at into scripts and libraries, and a conda environment is full of it. So
a copy takes the place first, is worked on there, and gives it back unless somebody says that it is well.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from dlsetup.act.copying import copy_tree
from dlsetup.act.exchange import give_back, half_folder, name_former
from dlsetup.act.holdings import conda_holdings, holdings
from dlsetup.act.interruption import undisturbed
from dlsetup.act.inventory import differences, inventory
from dlsetup.act.journal import Journal
from dlsetup.act.replacement import About, entry_of, not_copied
from dlsetup.act.state import sync_files
from dlsetup.act.swap import put_in_place
from dlsetup.model.errors import StepFailed
from dlsetup.model.journal import CopyCost, Entry


class InPlace:
    """A copy at the place of the environment, called `copy`; the original waits for `accept` or `drop`."""

    def __init__(self, journal: Journal, entry: Entry) -> None:
        self.journal = journal
        self.entry = entry
        self.copy = Path(entry.environment)

    def fill(self, taken: CopyCost) -> None:
        """Makes the copy and puts it there. Raises `OSError`, `StepFailed`."""
        beside = Path(self.entry.work)
        held = copy_tree(self.copy, beside, taken.means)
        self.journal.write_inventory(self.entry, "before", held)
        touched = next(differences(self.copy, held), None)
        if touched is not None:
            raise StepFailed(
                f"`{self.copy / touched}` changed while the environment was copied.",
                hint="end what else writes to it, then run the command again.",
            )
        sync_files(self.copy.parent)
        with undisturbed():
            put_in_place(beside, self.copy, aside=Path(self.entry.former))

    def accept(self) -> Entry:
        """What is there now stays, and the original is kept. Raises `StepFailed`."""
        try:
            after, packages = holdings(self.copy), conda_holdings(self.copy)
            self.journal.write_inventory(self.entry, "after", inventory(self.copy, hashes=False))
            sync_files(self.copy.parent)
        except OSError as error:
            raise StepFailed(f"`{error.filename}` cannot be looked at: {error.strerror}.") from error
        with undisturbed():
            # From this write on it is done: before, a killed run would give the original back.
            done = replace(self.entry, after=after, conda_after=packages, state="applied")
            self.entry = self.journal.write(done)
            with contextlib.suppress(OSError):
                name_former(done)
        return self.entry

    def drop(self, why: str) -> None:
        """The original goes back to its place. What fails here is done by the next command."""
        with undisturbed():
            try:
                give_back(self.entry)
            except OSError as error:
                raise StepFailed(
                    f"`{self.entry.work}` cannot go back to `{self.copy}`: {error.strerror}.",
                    hint="`dlsetup history` puts it back once nothing is in the way.",
                ) from error
            self.entry = replace(self.entry, state="reverted", why=why)
            with contextlib.suppress(OSError, StepFailed):
                self.journal.write(self.entry)
                self.journal.drop_inventories(self.entry)


@contextmanager
def in_place(environment: Path, journal: Journal, about: About, taken: CopyCost) -> Iterator[InPlace]:
    """The environment to work on, in the journal before anything is written. Whoever calls has the lock.

    Afterwards it is what was accepted, with the former one kept beside it, or the original to the byte,
    with nothing beside it. Raises `StepFailed` where the copy cannot be made.
    """
    original = environment.resolve()
    try:
        entry = entry_of(original, journal, about, taken)
        half = str(half_folder(original, entry.id))
        work = InPlace(journal, journal.write(replace(entry, work=half, in_place=True)))
    except OSError as error:
        raise not_copied(original, error) from error
    why = "the mended environment was not well"
    try:
        try:
            work.fill(taken)
        except OSError as error:
            raise not_copied(original, error) from error
        yield work
    except BaseException as error:
        why = getattr(error, "message", "") or f"it was interrupted ({type(error).__name__})"
        raise
    finally:
        if work.entry.state == "begun":
            work.drop(why)
