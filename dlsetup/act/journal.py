"""The journal: what was done to environments, one folder a change.

STATE/journal/ID/entry.json    the record
STATE/journal/ID/before        what the former environment holds
STATE/journal/ID/after         what the environment held when the change was done
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Literal

from dlsetup.act.inventory import Inventory, packed, unpacked
from dlsetup.act.state import sync_folder, write_durably
from dlsetup.model import codec
from dlsetup.model.errors import DataError, StepFailed, UsageError
from dlsetup.model.journal import Entry

_LARGEST_RECORD = 8 << 20
_LARGEST_INVENTORY = 256 << 20

Side = Literal["before", "after"]


class Journal:
    """Every write is on the disk before it returns. Raises `StepFailed` where it cannot be written."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.folder = state / "journal"

    def fresh_id(self) -> str:
        """A short name that no entry has yet."""
        while True:
            name = os.urandom(3).hex()
            if not (self.folder / name).exists():
                return name

    def write(self, entry: Entry) -> Entry:
        """Writes the entry anew or over what was known of it. Gives it back."""
        try:
            place = self._place(entry.id)
            write_durably(place / "entry.json", codec.encode(entry, indent=2) + b"\n")
            sync_folder(self.folder)
        except (OSError, UnicodeEncodeError) as error:
            raise self._unwritable(error) from error
        return entry

    def write_inventory(self, entry: Entry, side: Side, items: Inventory) -> None:
        try:
            write_durably(self._place(entry.id) / side, packed(items))
        except OSError as error:
            raise self._unwritable(error) from error

    def inventory(self, entry: Entry, side: Side) -> Inventory | None:
        """None: it is no longer there. Raises `DataError`."""
        path = self.folder / entry.id / side
        data = _read(path, _LARGEST_INVENTORY)
        return None if data is None else unpacked(data, where=str(path))

    def drop_inventories(self, entry: Entry) -> None:
        """Nothing is kept any more that they would tell of."""
        for side in ("before", "after"):
            (self.folder / entry.id / side).unlink(missing_ok=True)

    def entries(self, environment: str | None = None) -> tuple[Entry, ...]:
        """The oldest first; those of one environment, or all. What cannot be read is passed over."""
        if not self.folder.is_dir():
            return ()
        found = [self._entry(path) for path in self.folder.iterdir()]
        known = [entry for entry in found if entry is not None]
        chosen = [entry for entry in known if environment is None or entry.environment == environment]
        return tuple(sorted(chosen, key=lambda entry: (entry.began, entry.id)))

    def named(self, start: str) -> Entry:
        """The entry of that id, or the only one whose id begins so. Raises `UsageError`."""
        found = [entry for entry in self.entries() if start and entry.id.startswith(start)]
        if len(found) == 1:
            return found[0]
        words = (
            "several entries have an id that begins with" if found else "no entry of the history has the id"
        )
        raise UsageError(f"{words} `{start}`.", hint="`dlsetup history` lists them.")

    def forget(self, entry: Entry) -> None:
        """Takes an entry out that never told of anything."""
        shutil.rmtree(self.folder / entry.id, ignore_errors=True)

    def _entry(self, folder: Path) -> Entry | None:
        data = _read(folder / "entry.json", _LARGEST_RECORD)
        if data is None:
            return None
        try:
            return codec.decode(data, Entry, where=str(folder))
        except DataError:
            return None

    def _place(self, name: str) -> Path:
        place = self.folder / name
        os.makedirs(place, mode=0o700, exist_ok=True)
        return place

    def _unwritable(self, error: OSError | UnicodeEncodeError) -> StepFailed:
        reason = error.strerror if isinstance(error, OSError) else "a path in it is no text"
        return StepFailed(
            f"the journal in `{self.folder}` cannot be written: {reason}.",
            hint="free some room there, or name another folder with the variable `DLSETUP_STATE`.",
        )


def _read(path: Path, limit: int) -> bytes | None:
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError:
        return None
    return data if len(data) <= limit else None
