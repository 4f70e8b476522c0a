"""What a check has to say, as data."""

from __future__ import annotations

from typing import Literal

from dlsetup.model.machine import Gap
from dlsetup.model.record import Record

Severity = Literal["error", "warning", "note"]
Role = Literal["primary", "contributing", "note"]
Scope = Literal["environment", "host", "container-host", "windows", "project"]


class Evidence(Record, frozen=True, kw_only=True):
    """One fact a finding rests on, with the place it was seen."""

    fact: str
    value: str
    source: str


class Remedy(Record, frozen=True, kw_only=True):
    """What mends it, in words and as commands that can be pasted as they are."""

    text: str
    commands: tuple[str, ...] = ()
    scope: Scope = "environment"


class Finding(Record, frozen=True, kw_only=True):
    id: str
    severity: Severity
    role: Role = "contributing"
    title: str
    """What is, in one line."""
    because: str
    """The cause, in one sentence with its numbers."""
    evidence: tuple[Evidence, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    rests_on: tuple[str, ...] = ()
    """Sources of the facts that decided it."""


class Diagnosis(Record, frozen=True, kw_only=True):
    """Findings in order of weight, and what would have to be known to say more."""

    findings: tuple[Finding, ...] = ()
    unknown: tuple[Gap, ...] = ()

    @property
    def well(self) -> bool:
        return not any(item.severity == "error" for item in self.findings)
