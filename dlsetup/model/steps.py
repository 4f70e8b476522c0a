"""What would be done, step by step, before anything is done."""

from __future__ import annotations

from dlsetup.model.record import Record


class Run(Record, frozen=True, kw_only=True, tag="run"):
    """A program to run. `env` is added to the environment."""

    argv: tuple[str, ...]
    why: str
    env: tuple[tuple[str, str], ...] = ()


class Write(Record, frozen=True, kw_only=True, tag="write"):
    """A file to write."""

    path: str
    text: str
    why: str


class Remove(Record, frozen=True, kw_only=True, tag="remove"):
    """A file or folder to take away, with all that is in it."""

    path: str
    why: str


class Tell(Record, frozen=True, kw_only=True, tag="tell"):
    """What only a person can do: a driver, a reboot, the Windows side."""

    text: str
    commands: tuple[str, ...] = ()


Step = Run | Write | Remove | Tell


class Procedure(Record, frozen=True, kw_only=True):
    """Steps in order, and what they are for."""

    title: str
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()
