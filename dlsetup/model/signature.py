"""What messages of programs look like, and what they tell."""

from __future__ import annotations

from dlsetup.model.finding import Scope, Severity
from dlsetup.model.record import Record
from dlsetup.model.source import Source


class Given(Record, frozen=True, kw_only=True):
    """A fact that a message states."""

    about: str
    """As facts of `intake` are named: `driver.cuda_ceiling`."""
    value: str
    """With `{group}` where a named group of the pattern goes."""
    reading: str = "text"
    """How the value is read: `text`, `cuda`, `cuda-number` (12040), `driver`, `version`, `libc`, …"""


class Signature(Record, frozen=True, kw_only=True):
    """One message. It states facts; whether anything is wrong is for checks to say."""

    id: str
    marks: tuple[str, ...]
    """A text has the message only where one of these stands, letter for letter: what is searched first."""
    pattern: str
    """A regular expression over the text around the mark, with named groups for what varies."""
    means: str
    """In one line."""
    facts: tuple[Given, ...] = ()
    source: str


class ToldRemedy(Record, frozen=True, kw_only=True):
    text: str
    commands: tuple[str, ...] = ()
    """With `{group}` where a value goes; values are quoted."""
    scope: Scope = "environment"
    systems: tuple[str, ...] = ()
    """Only on these (`linux`, `windows`, `macos`); empty: on each."""


class ToldFault(Record, frozen=True, kw_only=True):
    """A fault that the message itself states in full, so that no fact has to decide it."""

    id: str
    severity: Severity = "error"
    messages: tuple[str, ...]
    """Signatures, any of which tells it."""
    unless: tuple[str, ...] = ()
    """Signatures, any of which contradicts it."""
    title: str
    because: str
    """With `{group}` where a value of the message goes."""
    remedy: tuple[ToldRemedy, ...] = ()
    source: str


class Knowledge(Record, frozen=True, kw_only=True):
    """Everything that is known of messages."""

    signatures: tuple[Signature, ...] = ()
    faults: tuple[ToldFault, ...] = ()
    sources: tuple[Source, ...] = ()
