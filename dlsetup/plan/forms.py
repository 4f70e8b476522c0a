"""The forms of files that a plan can take. A new one is a row of the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from dlsetup.plan.draft import Draft, FileText
from dlsetup.plan.lock_text import HEAD


class Form(NamedTuple):
    """How a plan becomes files of one kind."""

    name: str
    """As `--form` takes it."""
    files: tuple[str, ...]
    """Names of the files that it writes, or edits where they are there."""
    write: Callable[[Draft], tuple[FileText, ...]]
    """Raises `Unreadable` for a file that is there and cannot be edited, `UsageError` where a plan has no
    such form."""
    locked: bool = False
    """It is made of a lock: uv asks the indexes for it."""


def is_wish(name: str, text: str) -> bool:
    """Whether a file says what a person wants: not what dlsetup made, nor bounds, nor a lock."""
    return name != "constraints.txt" and not name.endswith(".lock") and not text.startswith(HEAD)


def forms() -> dict[str, Form]:
    """Every form by its name."""
    from dlsetup.plan import form_conda, form_pixi, form_requirements, form_uv

    rows = (
        Form("uv", (form_uv.NAME,), form_uv.uv_project),
        Form("pixi", (form_pixi.NAME,), form_pixi.pixi_workspace),
        Form(
            "requirements",
            (form_requirements.REQUIREMENTS, form_requirements.CONSTRAINTS),
            form_requirements.requirements,
            locked=True,
        ),
        Form("conda", (form_conda.NAME,), form_conda.environment),
        Form("conda-lock", form_conda.LOCKS, form_conda.locks),
        Form("pylock", (form_requirements.PYLOCK,), form_requirements.pylock, locked=True),
    )
    return {row.name: row for row in rows}
