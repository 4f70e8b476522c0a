"""What messages mean, why they come, and what to do: as the catalog holds it, and as it is told."""

from __future__ import annotations

import re

from dlsetup.model.finding import Finding, Severity
from dlsetup.model.machine import Gap, Os
from dlsetup.model.record import Record
from dlsetup.model.report import Message
from dlsetup.model.source import Source

PART = re.compile(r"\{([a-zA-Z_][\w.-]*)\}")
"""What is filled in: `{tried}` out of a message, `{driver.release}` of the machine."""


class Cause(Record, frozen=True, kw_only=True):
    """One of the usual causes, with what tells it from the others and what mends it.

    A `{part}` is filled with what a named group of the message held, or with a fact of the machine where it
    has a dot: `{driver.release}`. What holds a part that nobody knows is left out, a command alone too.
    """

    cause: str
    here: str = ""
    """What this machine has to do with it."""
    look: str = ""
    """What to look at."""
    look_commands: tuple[str, ...] = ()
    do: str
    do_commands: tuple[str, ...] = ()
    systems: tuple[Os, ...] = ()
    """Only on these; empty: on each."""


class Explanation(Record, frozen=True, kw_only=True):
    """Of one kind of failure, whatever words it comes in."""

    id: str
    title: str
    """What happened, in one line."""
    messages: tuple[str, ...] = ()
    """Signatures that it explains."""
    ends: tuple[str, ...] = ()
    """Ways in which a program that is watched may end, that it explains: `oom-killed`, `SIGBUS`."""
    severity: Severity = "error"
    """`note`: it is no failure, and is told after those that are."""
    general: bool = False
    """Whether it is silent where another one explains the same line."""
    aside: bool = False
    """Whether it is only what a report says beside messages: by itself it explains nothing."""
    meaning: str
    """In a sentence or two."""
    here: tuple[str, ...] = ()
    """What this machine has to do with it, a line each."""
    cause: tuple[Cause, ...] = ()
    """The most usual one first."""
    rests_on: tuple[str, ...]
    """Ids of sources."""


class Explanations(Record, frozen=True, kw_only=True):
    """All of them, with the sources of whatever they rest on."""

    explanations: tuple[Explanation, ...] = ()
    sources: tuple[Source, ...] = ()

    def of_signature(self, signature: str) -> Explanation | None:
        """The explanation of a message; None: nobody has written one."""
        return next((item for item in self.explanations if signature in item.messages), None)


class Explained(Record, frozen=True, kw_only=True):
    """An explanation for this machine: every part of it is filled."""

    id: str
    title: str
    severity: Severity = "error"
    messages: tuple[Message, ...] = ()
    """Where it stands in the text; empty for what was seen and not read."""
    meaning: str
    here: tuple[str, ...] = ()
    causes: tuple[Cause, ...] = ()
    rests_on: tuple[str, ...] = ()


class Answer(Record, frozen=True, kw_only=True):
    """What is to be said of a text."""

    explained: tuple[Explained, ...] = ()
    findings: tuple[Finding, ...] = ()
    """Of the doctor, on the machine and the text together."""
    unknown: tuple[Gap, ...] = ()
    about: str = ""
    """Why the facts are not those of this machine; empty: they are."""
