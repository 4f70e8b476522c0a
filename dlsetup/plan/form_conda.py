"""A plan as `environment.yml`, for any conda tool, and as what one has solved of it."""

from __future__ import annotations

from dlsetup.model.errors import UsageError
from dlsetup.plan.conda_lock import explicit_lock, lock_name
from dlsetup.plan.conda_platform import SUBDIRS
from dlsetup.plan.draft import OURS, Draft, FileText, made_for, unreadable
from dlsetup.plan.lock_text import HEAD

NAME = "environment.yml"
LOCKS = tuple(map(lock_name, SUBDIRS))
_HEAD = f"# {OURS}made for "


def environment(draft: Draft) -> tuple[FileText, ...]:
    """`environment.yml`, made as a whole. Raises `Unreadable` where somebody else's is there.

    Raises `UsageError` for targets that need different ones: the format knows no platforms.
    """
    known = draft.text_of(NAME)
    if known and known.strip() and not known.startswith(_HEAD):
        raise unreadable(
            NAME, f"it is made as a whole; `dlsetup import {NAME} --in-place` brings it up to date"
        )
    if len(set(draft.environments)) > 1:
        raise UsageError(
            f"`{NAME}` is for one kind of machine, and the targets need different ones",
            hint="ask for each target by itself, or take `--form pixi`",
        )
    return (FileText(name=NAME, text=f"{_HEAD}{made_for(draft.plans)}\n{draft.environments[0]}"),)


def locks(draft: Draft) -> tuple[FileText, ...]:
    """An explicit file for each platform. Raises `Unreadable` for a lock of another tool."""
    files = []
    for item in draft.conda_locks:
        name = lock_name(item.solution.subdir)
        known = draft.text_of(name)
        if known and known.strip() and not known.startswith(HEAD):
            raise unreadable(name, "it is a lock of another tool, which is made as a whole")
        files.append(FileText(name=name, text=explicit_lock(item.solution, item.note)))
    return tuple(files)
