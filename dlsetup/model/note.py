"""What a person does to a machine, step by step: only what this machine still needs, and why."""

from __future__ import annotations

from typing import Literal

from dlsetup.model.finding import Evidence
from dlsetup.model.record import Record

State = Literal["right", "needed", "optional", "ask", "blocked"]
"""right      it is as it should be; the evidence says how that is known
needed     it has to be done
optional   it is done where somebody wants it, or where `only_if` holds
ask        nobody could look: the commands tell, and `why` says what follows from the answer
blocked    nothing that can be done helps; `why` says what stands against it"""
Place = Literal["here", "shell", "windows", "host", "screen"]
"""here       a shell on the machine
shell      the very shell (or its start-up file) in which programs run later: a setting of an environment
windows    PowerShell on the Windows side
host       the host of a container
screen     a menu, a firmware, an editor: no command"""


class NoteStep(Record, frozen=True, kw_only=True):
    """One step. Commands are whole lines for the shell of `place`, quoted for it."""

    id: str
    title: str
    """What is done, or what is right."""
    state: State
    place: Place = "here"
    why: str = ""
    evidence: tuple[Evidence, ...] = ()
    only_if: str = ""
    """What has to hold, in words; empty: nothing."""
    commands: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    """To be written into `file`."""
    file: str = ""
    check: tuple[str, ...] = ()
    """Commands that show whether it worked."""
    sign: str = ""
    """What they show then."""
    after: str = ""
    """What has to happen before the check holds: `a restart`, `a new login`; empty: nothing."""
    undo: tuple[str, ...] = ()
    undo_words: str = ""
    """How it is taken back, where that takes more than commands."""
    restarts: bool = False
    """Its commands restart the machine."""
    sources: tuple[str, ...] = ()
    """In words."""


class Harmless(Record, frozen=True, kw_only=True):
    """A message that looks like a fault and is none."""

    says: str
    because: str
    source: str


class Note(Record, frozen=True, kw_only=True):
    """Everything about one matter, for one machine."""

    kind: str
    title: str
    about: str
    """The machine or the target, in words."""
    steps: tuple[NoteStep, ...] = ()
    """In the order in which they are done."""
    harmless: tuple[Harmless, ...] = ()

    def count(self, *states: State) -> int:
        """How many steps are in one of these states."""
        return sum(step.state in states for step in self.steps)

    @property
    def surely(self) -> int:
        """How many steps have to be done whatever else holds."""
        return sum(step.state == "needed" and not step.only_if for step in self.steps)


class NotOfKind(Record, frozen=True, kw_only=True):
    """Why a note says nothing of a machine, and what to ask instead."""

    kind: str
    because: str
    ask: tuple[str, ...] = ()
    """Commands that show it, or that are right for this machine."""


class Concern(Record, frozen=True, kw_only=True):
    """Whether a note is for a machine."""

    kind: str
    title: str
    concerns: bool
    because: str = ""
    """Why not."""
    needed: int = 0
    """How many steps are still needed."""
