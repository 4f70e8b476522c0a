"""Former environments that are kept, and those that no longer are."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from dlsetup.act.inventory import exclusive_bytes
from dlsetup.act.journal import Journal
from dlsetup.act.neighbour import host_mark
from dlsetup.act.workplace import remove
from dlsetup.model.journal import Entry
from dlsetup.model.record import UNKNOWN, Unknown

KEPT = 3
"""So many former environments are kept of one environment, the latest."""


def is_kept(entry: Entry) -> bool:
    """Whether the change can be taken back here: what it replaced is still there."""
    return entry.state == "applied" and entry.host == host_mark() and os.path.isdir(entry.former)


def room(entry: Entry) -> int | Unknown:
    """Bytes that forgetting the former environment would give back; 0: there is none."""
    if not is_kept(entry):
        return 0
    try:
        return exclusive_bytes(Path(entry.former))
    except OSError:
        return UNKNOWN


def forget(journal: Journal, entry: Entry) -> None:
    """Removes a former environment. The entry stays, as `gone`. Raises `StepFailed`."""
    # The journal first: what is half removed must not pass for something that can be put back.
    journal.write(replace(entry, state="gone"))
    remove(Path(entry.former))
    journal.drop_inventories(entry)


def forget_old(journal: Journal, environment: str) -> tuple[Entry, ...]:
    """Removes all but the latest `KEPT` former environments. Gives whose they were. Raises `StepFailed`."""
    kept = [entry for entry in journal.entries(environment) if is_kept(entry)]
    return forget_each(journal, kept[:-KEPT])


def forget_each(journal: Journal, entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Removes several. Raises `StepFailed`."""
    chosen = tuple(entries)
    for entry in chosen:
        forget(journal, entry)
    return chosen
