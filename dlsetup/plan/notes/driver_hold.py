"""Keeps the driver as it is while other packages move, so that its two halves stay together."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from dlsetup.model.note import NoteStep
from dlsetup.plan.notes.steps import optional
from dlsetup.plan.notes.subject import Subject

_ANY = {"ubuntu": "nvidia-driver-*", "debian": "nvidia-driver"}


def hold_steps(subject: Subject, planned: tuple[str, ...] = ()) -> Iterator[NoteStep]:
    """Where the system has a means of it. `planned`: the packages that come instead of the present ones."""
    row = next((row for row in subject.facts.holds if subject.family in row.families), None)
    if row is None:
        return
    packages = " ".join(map(shlex.quote, planned or _names(subject)))
    yield optional(
        "hold",
        "Hold the driver against unattended upgrades",
        "An upgrade that replaces the libraries under a loaded module ends in `Driver/library "
        "version mismatch` "
        "until the next restart: hold it, and upgrade it when a restart suits.",
        tuple(text.replace("{packages}", packages) for text in row.commands),
        check=(row.check,),
        sign="the packages of the driver",
        undo=tuple(text.replace("{packages}", packages) for text in row.undo),
        sources=subject.sources(row.source),
    )


def _names(subject: Subject) -> tuple[str, ...]:
    """The packages that are installed; a pattern where nobody knows them."""
    known = tuple(sorted({item.name for item in subject.driver_packages}))
    return known or (_ANY.get(subject.family or "", "*nvidia*"),)
