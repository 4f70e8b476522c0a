"""The release of Jetson Linux (L4T), from whatever tells it."""

from __future__ import annotations

import re

from dlsetup.judge.evidence import of_observation, of_package
from dlsetup.model.finding import Evidence
from dlsetup.model.record import Record
from dlsetup.plan.notes.subject import Subject, of_sighting

_VERSION = re.compile(r"\d{2}\.\d{1,2}(?:\.\d{1,2})?")


class L4t(Record, frozen=True, kw_only=True):
    """`36.4.3`, and what tells it."""

    release: str
    evidence: Evidence


def l4t_of(subject: Subject) -> L4t | None:
    """By the board's own file, by what a report says, or by its core package."""
    seen = subject.sighted("jetson.linux")
    if seen is not None and _VERSION.fullmatch(seen.value):
        return L4t(release=seen.value, evidence=of_sighting(seen))
    told = subject.scene.observed("tegra.release")
    if told is not None and _VERSION.fullmatch(told.value):
        return L4t(release=told.value, evidence=of_observation(told))
    package = subject.package("nvidia-l4t-core")
    found = _VERSION.match(package.version) if package else None
    return L4t(release=found[0], evidence=of_package(package)) if package and found else None
