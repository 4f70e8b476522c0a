"""A former environment takes its place again, and what was there is kept in its stead."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from dlsetup.act.exchange import exchange, finish, whereabouts
from dlsetup.act.holdings import conda_holdings, holdings, moved, packages_moved
from dlsetup.act.interruption import undisturbed
from dlsetup.act.inventory import differences, inventory
from dlsetup.act.journal import Journal
from dlsetup.act.keeping import is_kept
from dlsetup.act.neighbour import host_mark
from dlsetup.act.replacement import begun
from dlsetup.model.errors import DataError, StepFailed
from dlsetup.model.journal import Entry
from dlsetup.model.record import Record

_CACHES = "__pycache__"


class Standing(Record, frozen=True, kw_only=True):
    """What speaks against taking a change back. Empty: it gives back what was, and takes nothing else."""

    damaged: tuple[str, ...] = ()
    """Files of the former environment that are not what they were when it was replaced."""
    later: tuple[str, ...] = ()
    """Files of the present one that came or changed after the change."""
    unknown: str = ""
    """Why neither can be told."""


def missing(entry: Entry) -> str | None:
    """Why the change cannot be taken back at all; None: it can."""
    if entry.state == "undone":
        return f"{entry.id} is taken back already."
    if entry.state == "gone":
        return f"what {entry.id} has replaced is no longer kept."
    if entry.state != "applied":
        return f"{entry.id} changed nothing that could be taken back."
    if entry.host != host_mark():
        return f"{entry.id} was done on another computer."
    if not is_kept(entry):
        return f"what {entry.id} has replaced is not at `{entry.former}` any more."
    if os.path.lexists(entry.environment) and not os.path.isdir(entry.environment):
        return f"`{entry.environment}` is no folder; what {entry.id} replaced is `{entry.former}`."
    return None


def standing(journal: Journal, entry: Entry, *, hashes: bool = True) -> Standing:
    """Compares both environments with what the journal holds of them. Raises `StepFailed`.

    `hashes`: whether small files are read; else sizes and times are all that is compared.
    """
    try:
        before, after = journal.inventory(entry, "before"), journal.inventory(entry, "after")
        if before is None or after is None:
            return Standing(unknown=f"the journal of {entry.id} is not whole")
        former, present = Path(entry.former), Path(entry.environment)
        there = () if is_deleted(entry) else differences(present, after)
        changed = (name for name in there if _matters(present, name))
        damaged = differences(former, before, hashes=hashes)
        return Standing(damaged=tuple(sorted(damaged)), later=tuple(sorted(changed)))
    except DataError as error:
        return Standing(unknown=error.message)
    except OSError as error:
        raise StepFailed(f"`{error.filename}` cannot be looked at: {error.strerror}.") from error


def undo(journal: Journal, entry: Entry) -> Entry:
    """Exchanges the two. Gives the entry of the undo, which can be undone as well. Raises `StepFailed`.

    An environment that somebody has deleted comes back; there is nothing then to be kept in its stead.
    """
    if is_deleted(entry):
        return _bring_back(journal, entry)
    environment = Path(entry.environment)
    change = _begun(journal, entry, environment)
    try:
        journal.write_inventory(change, "before", inventory(environment, hashes=True))
        journal.write_inventory(change, "after", inventory(Path(entry.former), hashes=False))
        return exchange(journal, change)
    except BaseException as error:
        if whereabouts(change) == "place":
            with contextlib.suppress(OSError, StepFailed):
                journal.write(replace(change, state="reverted", why=getattr(error, "message", "interrupted")))
                journal.drop_inventories(change)
        if isinstance(error, OSError):
            raise StepFailed(
                f"`{error.filename}` cannot be looked at: {error.strerror}.", hint="nothing has changed."
            ) from error
        raise


def is_deleted(entry: Entry) -> bool:
    """Whether nothing at all is at the place of the environment."""
    return not os.path.lexists(entry.environment)


def all_moves(environment: Path, entry: Entry) -> Iterator[str]:
    """What differs, in words, between what is there now and what the change replaced. Raises `OSError`."""
    yield from packages_moved(conda_holdings(environment), entry.conda_before)
    yield from moved(holdings(environment), entry.before)


def _bring_back(journal: Journal, entry: Entry) -> Entry:
    texts = (*packages_moved((), entry.conda_before), *moved((), entry.before))
    what = ", ".join(texts) or f"bring back what {entry.id} replaced"
    change = begun(journal, Path(entry.environment), what, kind="undo")
    change = replace(change, work=entry.former, **_as_before(entry))
    try:
        with undisturbed():
            journal.write(change)
            os.rename(entry.former, entry.environment)
            return finish(journal, change)
    except OSError as error:
        with contextlib.suppress(StepFailed):
            journal.write(replace(change, state="reverted", why=error.strerror or ""))
        raise StepFailed(
            f"`{entry.former}` cannot go back to `{entry.environment}`: {error.strerror}.",
            hint="nothing has changed.",
        ) from error


def _begun(journal: Journal, entry: Entry, environment: Path) -> Entry:
    try:
        fresh = begun(journal, environment, "", kind="undo")
    except OSError as error:
        raise StepFailed(f"`{environment}` cannot be looked at: {error.strerror}.") from error
    packages = packages_moved(fresh.conda_before, entry.conda_before)
    what = ", ".join((*packages, *moved(fresh.before, entry.before))) or f"take {entry.id} back"
    return journal.write(replace(fresh, what=what, work=entry.former, **_as_before(entry)))


def _as_before(entry: Entry) -> dict[str, Any]:
    """Of an undo: what it takes back, and what is there afterwards."""
    return {"undoes": entry.id, "after": entry.before, "conda_after": entry.conda_before}


def _matters(environment: Path, name: str) -> bool:
    """Compiled files come by use, and the time of a folder changes with what is in it."""
    parts = name.split("/")
    if _CACHES in parts:
        return False
    path = environment / name
    return not path.is_dir() or path.is_symlink()
