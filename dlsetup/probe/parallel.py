"""Probes at once, each with a deadline: one that raises or hangs costs its facts, never the look."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from dlsetup.model.errors import DlsetupError
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.probe.notes import Notes

T = TypeVar("T")


class Probe(Generic[T]):
    """A question that runs in a thread of its own from the moment it is made.

    The thread is a daemon: a driver that never answers cannot keep the program from ending.
    """

    def __init__(self, fact: str, question: Callable[[Notes], T], *, deadline: float, ask: str = "") -> None:
        self.fact = fact
        self.ask = ask
        self.deadline = deadline
        self.started = time.monotonic()
        self.notes = Notes()
        self.found: T | Unknown = UNKNOWN
        self.failure: Exception | None = None
        self.question = question
        self.thread = threading.Thread(target=self._run, name=fact, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.found = self.question(self.notes)
        except Exception as exc:  # whatever is wrong with one probe must not hide the others
            self.failure = exc

    def answer(self, notes: Notes) -> T | Unknown:
        """The answer, its notes put into `notes`; unknown, with a gap, if there is none in time.

        A `DlsetupError` is the user's business (no such environment) and is raised again.
        """
        self.thread.join(max(0.0, self.started + self.deadline - time.monotonic()))
        if self.thread.is_alive():
            notes.gap(self.fact, f"no answer within {self.deadline:g} s", self.ask)
            return UNKNOWN
        notes.sightings.extend(self.notes.sightings)
        notes.gaps.extend(self.notes.gaps)
        if isinstance(self.failure, DlsetupError):
            raise self.failure
        if self.failure is not None:
            reason = f"the look failed: {type(self.failure).__name__}: {self.failure}"
            notes.gap(self.fact, reason, self.ask)
        return self.found


class Together:
    """Looks that all have to end by one moment: one that does not is named, and holds up no other."""

    def __init__(self, notes: Notes, seconds: float) -> None:
        self.notes = notes
        self.seconds = seconds
        self.ends = time.monotonic() + seconds
        self.unread: list[str] = []
        """What nothing is known of."""

    def begin(self, what: str, question: Callable[[], T]) -> Probe[T]:
        """Starts a look beside the others."""
        return Probe(what, lambda _: question(), deadline=max(0.0, self.ends - time.monotonic()))

    def end(self, probe: Probe[T]) -> T | Unknown:
        """What it found; unknown, with a gap, where it is not through in time."""
        told = Notes()
        found = probe.answer(told)
        if isinstance(found, Unknown):
            self.unread.append(probe.fact)
        if found is UNKNOWN and probe.failure is None:
            self.notes.gap(probe.fact, f"not read in time: it takes longer than {self.seconds:g} s")
        else:
            self.notes.gaps.extend(told.gaps)
        return found
