"""Puts right what a killed run left of a change: finished where it was done, else as if it had not been."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from msgspec.structs import replace

from dlsetup.act.exchange import finish, give_back, half_folder, name_former, whereabouts
from dlsetup.act.journal import Journal
from dlsetup.act.neighbour import host_mark
from dlsetup.act.workplace import remove
from dlsetup.model.errors import StepFailed
from dlsetup.model.journal import Entry

_KILLED = "the run was killed"


def unfinished(journal: Journal, environment: Path) -> tuple[Entry, ...]:
    """Changes of an environment that began on this computer and came to no end. Changes nothing."""
    here = host_mark()
    entries = journal.entries(os.path.realpath(environment))
    return tuple(entry for entry in entries if entry.state == "begun" and entry.host == here)


def recover(journal: Journal, environment: Path) -> tuple[str, ...]:
    """Says what it did. Whoever calls has the lock: no living process is at work. Raises `StepFailed`."""
    _no_stranger(journal, environment)
    # The last one comes first: an undo that was killed has what an older change keeps.
    said = [_put_right(journal, entry) for entry in reversed(unfinished(journal, environment))]
    for entry in journal.entries(os.path.realpath(environment)):
        if entry.state == "applied" and entry.in_place and entry.host == host_mark():
            name_former(entry)
        if entry.state == "gone" and entry.host == host_mark() and os.path.lexists(entry.former):
            remove(Path(entry.former))
    return tuple(said)


def _no_stranger(journal: Journal, environment: Path) -> None:
    """An environment may be half changed by a run whose journal lies elsewhere. Raises `StepFailed`."""
    place = Path(os.path.realpath(environment))
    start = half_folder(place, "").name
    ours = {Path(entry.work).name for entry in journal.entries(str(place))}
    names = os.listdir(place.parent) if place.parent.is_dir() else []
    found = next((name for name in names if name.startswith(start) and name not in ours), None)
    if found is not None:
        raise StepFailed(
            f"`{place}` is half changed by a run that was killed, of which another journal tells; as it was "
            f"it lies at `{place.with_name(found)}`.",
            hint="run the command with the `DLSETUP_STATE`, or as the user, of that run.",
        )


def _put_right(journal: Journal, entry: Entry) -> str:
    name = f"`{entry.environment}`"
    place = whereabouts(entry)
    if not entry.folder:
        return _brought_back(journal, entry)
    if entry.in_place:
        return _given_back(journal, entry, place)
    lost = not os.path.lexists(entry.environment)
    if place in ("work", "former") and not lost:
        finish(journal, entry)
        return f"a run that was killed had changed {name} already ({entry.id}): that is finished now."
    if place in ("work", "former"):
        _back(entry, entry.work if place == "work" else entry.former)
    if entry.kind == "fix" and place != "work":
        remove(Path(entry.work))
    journal.write(replace(entry, state="reverted", why=_KILLED))
    journal.drop_inventories(entry)
    if place == "nowhere":
        return f"a run that was killed had begun to change {name} ({entry.id}), which was replaced since."
    return f"a run that was killed had begun to change {name} ({entry.id}): it is as it was before that."


def _given_back(journal: Journal, entry: Entry, place: str) -> str:
    """The place itself was worked on: what is there is neither the former nor known to be well."""
    try:
        give_back(entry)
    except OSError as error:
        raise StepFailed(
            f"`{entry.work}` is the environment `{entry.environment}` and cannot go back there: "
            f"{error.strerror}.",
            hint="run the command again once nothing is in the way.",
        ) from error
    journal.write(replace(entry, state="reverted", why=_KILLED))
    journal.drop_inventories(entry)
    how = "which was replaced since" if place == "nowhere" else "and it is as it was before that"
    return f"a run that was killed had begun to change `{entry.environment}` ({entry.id}), {how}."


def _brought_back(journal: Journal, entry: Entry) -> str:
    """An environment that was deleted was to come back: one rename, which happened or did not."""
    if os.path.lexists(entry.work):
        journal.write(replace(entry, state="reverted", why=_KILLED))
        return (
            f"a run that was killed had begun to bring `{entry.environment}` back ({entry.id}): it did not."
        )
    finish(journal, entry)
    return f"a run that was killed had brought `{entry.environment}` back already ({entry.id})."


def _back(entry: Entry, path: str) -> None:
    try:
        os.rename(path, entry.environment)
    except OSError as error:
        raise StepFailed(
            f"`{path}` is the environment `{entry.environment}` and cannot go back there: {error.strerror}.",
            hint=f"move it by hand: `{shlex.join(('mv', path, entry.environment))}`.",
        ) from error
