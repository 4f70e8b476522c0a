"""The real catalog and the facts of notes, read once; recorded machines, and machines in words."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from note_machines import MACHINES

from dlsetup.catalog.load import load
from dlsetup.catalog.notes import note_facts
from dlsetup.intake.noted import machine_in_words
from dlsetup.intake.saved import read
from dlsetup.judge.scene import Scene
from dlsetup.model.framework import Catalog
from dlsetup.model.machine import Machine
from dlsetup.model.note import Note, NotOfKind
from dlsetup.model.note_facts import NoteFacts
from dlsetup.plan.notes import registry
from dlsetup.plan.notes.subject import Subject


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return load(None)


@pytest.fixture(scope="session")
def facts() -> NoteFacts:
    return note_facts()


@pytest.fixture(scope="session")
def of(catalog: Catalog, facts: NoteFacts) -> Callable[[str, Machine], Note | NotOfKind]:
    """The note of a kind for a machine."""

    def make(kind: str, machine: Machine) -> Note | NotOfKind:
        found = registry.named(kind)
        assert found
        return registry.note(found, Subject(scene=Scene.of(machine, catalog), facts=facts))

    return make


@pytest.fixture(scope="session")
def note_of(of: Callable[[str, Machine], Note | NotOfKind]) -> Callable[[str, str], Note]:
    """The note of a kind for a recorded machine by its folder, or for a target in words."""

    def make(kind: str, place: str) -> Note:
        words = "=" in place
        machine = machine_in_words(place) if words else read(MACHINES / place / "machine.json")
        found = of(kind, machine)
        assert isinstance(found, Note), found
        return found

    return make
