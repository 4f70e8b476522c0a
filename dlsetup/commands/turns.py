"""The environment that a command is to change, and the turn to change it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dlsetup.act.journal import Journal
from dlsetup.act.recovery import recover, unfinished
from dlsetup.act.state import state_folder
from dlsetup.act.turn import is_taken, turn
from dlsetup.catalog.load import clues, opened
from dlsetup.commands.question import folders
from dlsetup.commands.typed import number_within
from dlsetup.model.errors import StepFailed, UsageError
from dlsetup.probe.host import Host
from dlsetup.probe.look import look
from dlsetup.show.lines import Line, write

WAIT = 10.0
"""Seconds that a command waits for another one that is at work on the environment."""


def amount(text: str, option: str) -> float:
    """A number of seconds or days, up to a million. Raises `UsageError`."""
    number = number_within(text, 0, 1e6)
    if number is None:
        raise UsageError(
            f"`{option} {text}` is no number that can be used.", hint=f"for example `{option} 30`."
        )
    return number


def journal_of(host: Host) -> Journal:
    """The journal of this user. Raises `StepFailed`."""
    return Journal(state_folder(host.environ))


def path_of(host: Host, asked: str | None, catalog: tuple[str, ...] = ()) -> str:
    """The environment that is meant: a path, a name, or the one that a look finds. Raises `UsageError`.

    Of a path nothing is asked: what a killed run has moved aside is not there.
    """
    if asked is not None:
        path = os.path.abspath(os.path.expanduser(asked))
        if os.path.lexists(path) or journal_of(host).entries(os.path.realpath(path)):
            return path
    machine = look(host, environment=asked, clues=clues(opened(folders(catalog))))
    if machine.environment is None:
        raise UsageError("there is no environment here.", hint="name one: `--env PATH`.")
    return machine.environment.path


@contextmanager
def own_turn(host: Host, environment: str, wait: float = WAIT) -> Iterator[tuple[Journal, tuple[str, ...]]]:
    """Inside, nobody else changes the environment, and no killed run has left anything half done.

    Gives the journal, and what had to be put right. Raises `StepFailed` where somebody else goes on.
    """
    journal = journal_of(host)
    place = Path(environment)
    with turn(journal.state, place, wait=wait, tell=tell):
        yield journal, recover(journal, place)


def half_done(host: Host, environment: str) -> str:
    """That a killed run left something half done, for a command that changes nothing; else empty."""
    try:
        journal = journal_of(host)
    except StepFailed:
        return ""
    place = Path(environment)
    left = unfinished(journal, place)
    if not left or is_taken(journal.state, place):
        return ""
    return f"a run that was killed left `{environment}` half changed ({left[-1].id})"


def tell(text: str) -> None:
    """Says on standard error whom is waited for."""
    write([Line(mark="·", text=text, style="note")], sys.stderr)
    sys.stderr.flush()
