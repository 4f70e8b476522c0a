"""Reads reports with what the catalog knows of messages; `doctor --from` and `triage` share it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from dlsetup.catalog.images import image_knowledge
from dlsetup.catalog.load import Places, load, named
from dlsetup.catalog.messages import knowledge
from dlsetup.intake.messages import Sought
from dlsetup.intake.reading import every_format
from dlsetup.intake.report import Reading, Ways, read_report
from dlsetup.model.framework import Catalog
from dlsetup.model.machine import Machine
from dlsetup.model.record import Unknown
from dlsetup.model.signature import Knowledge

_FOLLOWERS = ("torchvision", "torchaudio")
"""Their messages are about the release of torch that they follow, listed or not; those of HIP mostly too."""


def pasted(reports: Sequence[str], places: Places) -> tuple[Reading, Knowledge]:
    """What reports tell, and what is known of messages. Raises `UsageError`."""
    known = knowledge(places)
    return read_report(reports, ways(known)), known


def ways(known: Knowledge) -> Ways:
    """Every format, and every signature ready to be looked for."""
    return Ways(every_format(), tuple(map(Sought, known.signatures)))


def catalog_of_report(machine: Machine, known: Knowledge, places: Places) -> Catalog:
    """The catalog of the frameworks that a report names, and what is known of messages and images."""
    catalog = load(named(set(_names(machine)), places), places)
    if machine.report.stages or machine.report.containers:
        catalog = replace(catalog, images=image_knowledge(places))
    return replace(catalog, knowledge=known)


def _names(machine: Machine) -> Iterable[str]:
    environment = machine.environment
    if environment is not None and not isinstance(environment.distributions, Unknown):
        yield from (item.name for item in environment.distributions)
    yield from (item.name for item in machine.report.asked)
    for message in machine.report.messages:
        yield from (value for key, value in message.values if key.endswith("name"))
        if (speaker := message.signature.partition("-")[0]) in (*_FOLLOWERS, "hip"):
            yield from ("torch", speaker)
