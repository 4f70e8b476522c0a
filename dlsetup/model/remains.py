"""What installations and removals that broke off have left in folders of packages."""

from __future__ import annotations

from typing import Literal

from dlsetup.model.record import Record


class Remains(Record, frozen=True, kw_only=True):
    """One distribution, or one name that an installer has left, whose files and metadata do not agree."""

    kind: Literal["emptied", "incomplete", "renamed"]
    """`emptied`: of the files that were looked for none is there, though the metadata is; `incomplete`:
    some are gone; `renamed`: pip has put an entry aside (`~orch`) and not taken it away."""
    distribution: str = ""
    """Canonical name; empty where only an entry is known."""
    location: str
    """The folder of packages."""
    example: str
    """An entry of it, or a file that is gone, relative to it."""
