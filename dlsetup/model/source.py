"""Who says so."""

from __future__ import annotations

from typing import Literal

from dlsetup.model.record import Record


class Source(Record, frozen=True, kw_only=True):
    """Where a row comes from."""

    id: str
    what: str
    """Page, file or registry, in words or as an address."""
    checked: str
    """ISO date."""
    certainty: Literal["high", "medium", "low"] = "high"
