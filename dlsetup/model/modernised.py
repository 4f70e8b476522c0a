"""An old list of packages, and what becomes of each of its lines."""

from __future__ import annotations

from typing import Literal

from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.resolution import Plan


class OldPackage(Record, frozen=True, kw_only=True):
    """A name out of old instructions, and what it means today."""

    names: tuple[str, ...]
    framework: str = ""
    """The framework that it asks for."""
    toolkit: bool = False
    """Its version is a CUDA version."""
    cpu: bool = False
    """It asks for CPU builds."""
    became: str = ""
    """Its name on conda-forge; empty: there is nothing in its place."""
    because: str = ""
    source: str
    checked: str


class OldChannel(Record, frozen=True, kw_only=True):
    """A channel that nothing is taken from any more."""

    names: tuple[str, ...]
    because: str
    source: str
    checked: str


class OldPython(Record, frozen=True, kw_only=True):
    """A Python line that nobody maintains any more."""

    line: str
    ended: str
    """ISO date."""
    source: str
    checked: str


class OldFacts(Record, frozen=True, kw_only=True):
    package: tuple[OldPackage, ...] = ()
    channel: tuple[OldChannel, ...] = ()
    python: tuple[OldPython, ...] = ()


Part = Literal["channel", "conda", "pip", "option", "name", "other"]


class Entry(Record, frozen=True, kw_only=True):
    """One line or word of an old list."""

    text: str
    line: int
    part: Part


class OldList(Record, frozen=True, kw_only=True):
    """What was read: `environment.yml`, `requirements.txt`, or commands."""

    kind: Literal["environment", "requirements", "commands"]
    where: str
    entries: tuple[Entry, ...]
    name: str = ""


ListForm = Literal["conda", "requirements", "uv", "pixi"]
"""What an old list is written as; the last two are files of a project."""
What = Literal["kept", "renamed", "moved", "newer", "dropped", "unknown"]


class Change(Record, frozen=True, kw_only=True):
    """What became of one entry. `became` is empty where nothing did."""

    text: str
    line: int
    what: What
    became: str = ""
    because: str = ""
    source: str = ""


class Modernised(Record, frozen=True, kw_only=True):
    """An old list as it is written today."""

    form: ListForm
    changes: tuple[Change, ...]
    plan: Plan
    text: str
    notes: tuple[str, ...] = ()
    path: str | Unknown = UNKNOWN
    """Where it was written."""
