"""`[tool.dlsetup]` of a project: what was asked for and stands nowhere else in it."""

from __future__ import annotations

from typing import Any

from dlsetup.plan.draft import Draft
from dlsetup.plan.toml_edit import peek, put, table_at


def say_own(document: Any, draft: Draft, name: str) -> None:
    """That CPU builds were asked for, or allowed; what is no longer so goes."""
    said = {"cpu": draft.cpu, "allow-cpu": draft.allow_cpu}
    for key, value in said.items():
        if value:
            put(table_at(document, name, "tool", "dlsetup"), key, True)
        elif peek(document, "tool", "dlsetup", key) is not None:
            del table_at(document, name, "tool", "dlsetup")[key]
    if peek(document, "tool", "dlsetup") == {}:
        del document["tool"]["dlsetup"]
