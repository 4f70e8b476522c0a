"""A plan as `environment.yml`, for any conda tool."""

from __future__ import annotations

from dlsetup.model.errors import UsageError
from dlsetup.plan.draft import OURS, Draft, FileText, made_for, unreadable

NAME = "environment.yml"
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
