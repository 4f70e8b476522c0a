"""What texts mean on a machine; `explain` and `run` share it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from dlsetup.catalog.explanations import explanations
from dlsetup.catalog.load import Places
from dlsetup.catalog.messages import knowledge
from dlsetup.commands.examined import catalog_of_examined
from dlsetup.commands.pasted import catalog_of_report, ways
from dlsetup.intake.embedded import joined
from dlsetup.intake.report import Ways, report_of
from dlsetup.intake.texts import Text
from dlsetup.judge.explaining import explain
from dlsetup.judge.registry import every_check, judge
from dlsetup.model.explanation import Answer, Explanations
from dlsetup.model.framework import Catalog
from dlsetup.model.machine import Driver, Machine
from dlsetup.model.record import Unknown
from dlsetup.model.report import Message
from dlsetup.model.signature import Knowledge
from dlsetup.model.use import Seen, Use
from dlsetup.model.versions import DriverRelease
from dlsetup.show.facts import facts_of


class Known(NamedTuple):
    """What the catalog knows of messages."""

    places: Places
    messages: Knowledge
    ways: Ways
    explanations: Explanations

    @classmethod
    def of(cls, places: Places) -> Known:
        messages = knowledge(places)
        return cls(places, messages, ways(messages), explanations(places))


class Looked(NamedTuple):
    """A machine and a moment of it."""

    machine: Machine
    use: Use = Use()


def told_by(texts: Sequence[Text], known: Known) -> Machine:
    """What the texts tell, messages among it."""
    return report_of(texts, known.ways).machine


class Together(NamedTuple):
    """A machine with what texts tell of it, and all of the catalog that bears on both."""

    told: Machine
    """By the texts alone."""
    machine: Machine
    use: Use
    catalog: Catalog

    @classmethod
    def of(cls, told: Machine, looked: Looked, known: Known) -> Together:
        machine = joined(looked.machine, told)
        catalog = catalog_of_report(machine, known.messages, known.places)
        loading = catalog_of_examined(machine, known.places).loading
        return cls(told, machine, looked.use, replace(catalog, loading=loading))

    def spoken(self) -> frozenset[str]:
        """Ids of the findings that the words lead to, whether or not facts lead to them too."""
        checks = (one for one in every_check() if one.told)
        return frozenset(item.id for item in judge(self.machine, self.catalog, checks).findings)


def answer(together: Together, known: Known, seen: Seen | None = None) -> Answer:
    """What the text means on this machine, and what the doctor says of both together.

    `seen`: what became of a program that said it.
    """
    diagnosis = judge(together.machine, together.catalog)
    return Answer(
        explained=explain(
            _in_order(together.told),
            seen.ends if seen else (),
            (known.explanations, known.messages),
            facts_of(together.machine, together.use, seen),
            together.machine.system.os,
        ),
        findings=diagnosis.findings,
        unknown=diagnosis.unknown,
    )


def _in_order(told: Machine) -> tuple[Message, ...]:
    """Messages as they stand in the texts: file after file, line after line."""
    files = list(dict.fromkeys(_place(item)[0] for item in told.report.messages))
    return tuple(
        sorted(told.report.messages, key=lambda item: (files.index(_place(item)[0]), _place(item)[1]))
    )


def _place(message: Message) -> tuple[str, int]:
    file, _, number = message.source.rpartition(":")
    return file, int(number) if number.isdecimal() and len(number) < 12 else 0


def elsewhere(machine: Machine, told: Machine) -> str:
    """Why a text cannot be of this machine: what it says of a GPU, a driver or a system that is not here.

    Empty where nothing speaks against it.
    """
    here, there = _names(machine), _names(told)
    if there and here is not None and not set(there) <= set(here):
        return f"it tells of {there[0]}, which this machine does not have"
    if isinstance(machine.driver, Driver) and isinstance(told.driver, Driver):
        own, other = machine.driver.release, told.driver.release
        if isinstance(own, DriverRelease) and isinstance(other, DriverRelease) and own != other:
            return f"it tells of driver {other}, and this machine has driver {own}"
    mine, theirs = machine.system.os, told.system.os
    if not isinstance(mine, Unknown) and not isinstance(theirs, Unknown) and mine != theirs:
        return f"it tells of {theirs}, and this machine runs {mine}"
    return ""


def _names(machine: Machine) -> list[str] | None:
    """Names of the GPUs; None: unknown which there are."""
    gpus = machine.gpus
    return None if isinstance(gpus, Unknown) else [gpu.name for gpu in gpus if isinstance(gpu.name, str)]


def text_of_words(words: Sequence[str]) -> Text:
    """What stands on the command line."""
    return Text("text", " ".join(words).encode("utf-8", "replace"))
