"""What many reports come to."""

from __future__ import annotations

from typing import Literal

from dlsetup.model.finding import Role, Severity
from dlsetup.model.record import Record


class Brief(Record, frozen=True, kw_only=True):
    """A finding without its evidence."""

    id: str
    severity: Severity
    role: Role
    title: str


class Row(Record, frozen=True, kw_only=True):
    """One report."""

    schema: Literal["dlsetup.triage-report/1"] = "dlsetup.triage-report/1"
    report: str
    ok: bool
    """False where a finding is an error, or the report could not be read."""
    primary: str = ""
    """Id of the primary finding; empty: there is none."""
    findings: tuple[Brief, ...] = ()
    ask: tuple[str, ...] = ()
    """Commands whose output would tell more."""
    error: str = ""
    """Why it could not be read."""

    @property
    def group(self) -> str:
        """What it is counted under."""
        if self.error:
            return FAILED
        return self.primary or WELL


FAILED = "not-read"
WELL = "no-error"


class Group(Record, frozen=True, kw_only=True):
    """Reports with one primary cause."""

    cause: str
    """Id of the finding; `no-error`, or `not-read`."""
    title: str = ""
    """Of the first of them."""
    count: int
    reports: tuple[str, ...] = ()
    """Names of the first of them."""


class Triage(Record, frozen=True, kw_only=True):
    """All groups, the largest first."""

    schema: Literal["dlsetup.triage/1"] = "dlsetup.triage/1"
    ok: bool
    """Whether every report could be read."""
    reports: int
    groups: tuple[Group, ...] = ()
