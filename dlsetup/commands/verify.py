"""`dlsetup verify`: what the frameworks of an environment can really do here, proved one by one."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement

from dlsetup.act.saving import save
from dlsetup.catalog.load import Places, opened
from dlsetup.catalog.profiles import load_profile
from dlsetup.catalog.watch import Watch
from dlsetup.commands.causes import Causes
from dlsetup.commands.destination import check_destination
from dlsetup.commands.frameworks_here import frameworks_here
from dlsetup.commands.question import folders
from dlsetup.commands.typed import number_within, words_in
from dlsetup.model.capability import Absent, Capability, Proved
from dlsetup.model.errors import UsageError
from dlsetup.model.machine import Environment, Machine
from dlsetup.model.outcome import Expected
from dlsetup.model.record import Record
from dlsetup.probe.host import Host
from dlsetup.probe.loader import interpreter
from dlsetup.show import json
from dlsetup.show.junit import junit
from dlsetup.show.lines import Line, write
from dlsetup.show.progress import watched
from dlsetup.show.verify import VerifyDocument, proved_lines, subject_lines, sum_lines
from dlsetup.verify.contained import Contained
from dlsetup.verify.prove import Trial, prove
from dlsetup.verify.table import capabilities, first

LONGEST = 3600.0
"""Seconds that somebody may give one program."""


class Request(Record, frozen=True, kw_only=True):
    """The words of `verify`, as they were typed."""

    environment: str | None = None
    only: tuple[str, ...] = ()
    """Frameworks (`torch`), capabilities (`amp`), or both in one (`torch-amp`)."""
    profile: str | None = None
    deadline: str | None = None
    junit: str | None = None
    list_only: bool = False
    as_json: bool = False
    verbose: bool = False
    catalog: tuple[str, ...] = ()


class Subject(NamedTuple):
    """The environment, and what it is asked for."""

    machine: Machine
    environment: Environment
    expected: tuple[Expected, ...]
    chosen: tuple[Capability, ...]
    absent: tuple[Absent, ...]


def run(request: Request) -> int:
    """Print what every program found. 1 where one failed."""
    deadline = _deadline(request.deadline)
    check_destination(request.junit, "--junit")
    places = opened(folders(request.catalog))
    subject = _subject(request, places)
    if request.list_only:
        return _listed(request, subject)
    host = Host.here(os.environ)
    if not request.as_json:
        write(subject_lines(subject.environment, len(subject.chosen)))
    with Contained(host) as contained, watched(sys.stderr) as watch:
        trials = prove(
            contained,
            interpreter(host, subject.environment.path),
            _announced(subject.chosen, watch),
            {item.framework: item for item in subject.expected},
            gpu_here=subject.machine.gpus != (),
            deadline=deadline,
        )
        proved = tuple(_told(trials, Causes(host, subject.machine, places), request))
    document = VerifyDocument.of(subject.environment, proved, subject.absent)
    if request.junit is not None:
        save(Path(request.junit), junit(document))
    if request.as_json:
        json.write(document)
    else:
        write(sum_lines(document, verbose=request.verbose))
    return 0 if document.ok else 1


def _told(trials: Iterator[Trial], causes: Causes, request: Request) -> Iterator[Proved]:
    """Each one as soon as it is known; a failure with its causes."""
    for trial in trials:
        proved = causes.told(trial)
        if not request.as_json:
            write(proved_lines(proved, verbose=request.verbose))
            sys.stdout.flush()
        yield proved


def _announced(chosen: tuple[Capability, ...], watch: Watch) -> Iterator[Capability]:
    """Each one when it is about to be tried."""
    watch.begin("programs", len(chosen) if sys.stderr.isatty() else 0)
    for item in chosen:
        watch.step(item.id)
        yield item


def _subject(request: Request, places: Places) -> Subject:
    """Raises `UsageError` where there is nothing to prove."""
    machine, environment, _, expected = frameworks_here(request.environment, places, "verify")
    if not expected:
        hint = "`dlsetup verify --env PATH` names another, `dlsetup create env demo torch` makes one"
        raise UsageError(f"no framework that is known is installed in `{environment.path}`", hint=hint)
    asked = _asked(request, expected)
    chosen, absent = _possible(asked, environment)
    if not chosen:
        raise UsageError(_nothing(absent), hint="`dlsetup verify --list` shows what can be proved here")
    return Subject(machine, environment, expected, chosen, absent)


def _asked(request: Request, expected: tuple[Expected, ...]) -> tuple[Capability, ...]:
    """Everything, or what was named. Raises `UsageError` for a word that means nothing here."""
    every = [*map(first, expected), *capabilities(item.framework for item in expected)]
    words = set(words_in(request.only))
    for word in words:
        if not any(item.answers_to(word) for item in every):
            known = ", ".join(dict.fromkeys(item.name for item in every))
            raise UsageError(
                f"`{word}` names nothing that can be proved here",
                hint=f"frameworks: {', '.join(item.framework for item in expected)}; capabilities: {known}",
            )
    words |= _of_profile(request, every)
    order = [item.framework for item in expected]
    chosen = [item for item in every if not (words or request.profile) or any(map(item.answers_to, words))]
    return tuple(sorted(chosen, key=lambda item: order.index(item.framework)))


def _of_profile(request: Request, every: Iterable[Capability]) -> set[str]:
    """What a profile wants of its own frameworks and packages, each as one word."""
    if request.profile is None:
        return set()
    profile = load_profile(request.profile, folders(request.catalog))
    own = {Requirement(text).name for text in (*profile.frameworks, *profile.packages)}
    return {item.id for item in every if item.framework in own and item.name in profile.verify}


def _possible(
    asked: Iterable[Capability], environment: Environment
) -> tuple[tuple[Capability, ...], tuple[Absent, ...]]:
    """What can be asked, and what lacks a distribution: that is no failure."""
    chosen, absent = [], []
    for item in asked:
        lacks = tuple(name for name in item.needs if environment.distribution(name) is None)
        if lacks:
            absent.append(Absent(id=item.id, framework=item.framework, name=item.name, needs=lacks))
        else:
            chosen.append(item)
    return tuple(chosen), tuple(absent)


def _nothing(absent: Iterable[Absent]) -> str:
    lacks = dict.fromkeys(name for item in absent for name in item.needs)
    missing = f"{', '.join(lacks)} is not installed" if lacks else "its frameworks are not installed"
    return f"nothing of it can be proved: {missing}"


def _listed(request: Request, subject: Subject) -> int:
    if request.as_json:
        json.write(VerifyDocument.of(subject.environment, (), subject.absent, subject.chosen))
        return 0
    write(Line(text=f"{item.id:28} {item.title}", wrap=False) for item in subject.chosen)
    write(
        Line(mark="·", text=f"{item.id}: {', '.join(item.needs)} is not installed", style="note")
        for item in subject.absent
    )
    return 0


def _deadline(text: str | None) -> float | None:
    """Seconds. Raises `UsageError`."""
    if text is None:
        return None
    seconds = number_within(text, 1, LONGEST)
    if seconds is None:
        raise UsageError(f"`{text}` is no time for a program", hint="`--deadline 60`: 1 to 3600 seconds")
    return seconds
