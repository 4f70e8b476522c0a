"""What mends an environment, and what came of it."""

from __future__ import annotations

from dlsetup.model.finding import Diagnosis, Finding
from dlsetup.model.outcome import Outcome
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.resolution import Plan


class Intent(Record, frozen=True, kw_only=True):
    """What an environment should hold, before the installer has said what that moves."""

    environment: str
    """Path of the environment."""
    mends: tuple[Finding, ...]
    """The findings it is for."""
    plan: Plan
    """Builds of the frameworks that work together here."""
    others: tuple[str, ...] = ()
    """Everything else that was installed for its own sake: the installer has to keep it whole."""
    replace: tuple[str, ...] = ()
    """Distributions of which another build of the same version is wanted."""
    twins: tuple[str, ...] = ()
    """Distributions that must not be beside those of the plan."""


class Change(Record, frozen=True, kw_only=True):
    """One distribution before and after. `before` equal to `after`: its files are written again."""

    distribution: str
    before: str | None
    """Version; None: it was not there."""
    after: str | None
    """Version; None: it is removed."""
    because: str = ""


class Repair(Record, frozen=True, kw_only=True):
    """An intent, and all that carrying it out moves."""

    intent: Intent
    remove: tuple[str, ...] = ()
    """Names, removed before anything is installed."""
    rewrite: tuple[str, ...] = ()
    """Pins (`name==version`) of what stays and has its files written again."""
    changes: tuple[Change, ...] = ()
    download_bytes: int | Unknown = UNKNOWN
    """Size of the files to fetch, those in uv's cache counted too."""


class Mending(Record, frozen=True, kw_only=True):
    """What came of a repair: the look after it, and what each framework did when it was used."""

    repair: Repair
    after: Diagnosis
    outcomes: tuple[Outcome, ...] = ()
    complaints: tuple[str, ...] = ()
    """Why the mended copy was thrown away; empty: it took the place of the environment."""
    notes: tuple[str, ...] = ()

    @property
    def clean(self) -> bool:
        return not self.complaints
