"""`dlsetup tune`: settings of a training, measured on this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from msgspec.structs import replace

from dlsetup.act.saving import save
from dlsetup.catalog.load import Places, opened
from dlsetup.commands.frameworks_here import frameworks_here
from dlsetup.commands.question import folders
from dlsetup.commands.tune_words import Request, Words, words_of
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Catalog
from dlsetup.model.machine import Environment, Machine
from dlsetup.model.record import Unknown
from dlsetup.model.tuning import Advice, Measure, Measured, Settings, Surroundings
from dlsetup.plan.tuning.advising import advise, batch_to_compare, settings_of, threads_to_go_on
from dlsetup.plan.tuning.script import filled
from dlsetup.probe.host import Host
from dlsetup.probe.loader import interpreter
from dlsetup.probe.surroundings import surroundings
from dlsetup.servers.training import training_script
from dlsetup.show import json
from dlsetup.show.lines import write
from dlsetup.show.progress import watched
from dlsetup.show.tune import TuneDocument, advice_lines, planned_lines, subject_lines, sum_lines
from dlsetup.verify.contained import Contained
from dlsetup.verify.measuring import measurable, measure, measures, seconds_of

SHARE = 0.5
"""Of the memory that is free: other programs go on."""


class Subject(NamedTuple):
    """The environment, its framework, and what is measured of it."""

    machine: Machine
    environment: Environment
    catalog: Catalog
    framework: str
    chosen: tuple[Measure, ...]


def run(request: Request) -> int:
    """Print what was measured and what is advised. 1 where a measurement failed."""
    words = words_of(request)
    subject = _subject(request, words, opened(folders(request.catalog)))
    host = Host.here(os.environ)
    here = surroundings(host, subject.machine)
    if request.dry_run:
        return _planned(request, words, subject)
    if not request.as_json and request.script != "-":
        write(subject_lines(subject.environment, subject.framework, subject.chosen, words.seconds))
    with Contained(host) as contained:
        measured = tuple(_measured(contained, host, subject, here, words))
    advice = _sourced(
        advise(measured, here, subject.catalog.hardware, framework=subject.framework, wished=words.batch),
        subject.catalog,
    )
    settings = settings_of(advice, measured, wished=words.batch)
    script = _script(request, subject, settings, advice)
    document = TuneDocument.of(subject.environment, subject.framework, measured, advice, settings, script)
    if request.as_json:
        json.write(document)
    elif request.script == "-":
        print(script, end="")
    else:
        write(advice_lines(document, verbose=request.verbose))
        write(sum_lines(document, request.script))
    return 0 if document.ok else 1


def _subject(request: Request, words: Words, places: Places) -> Subject:
    """Raises `UsageError` where there is nothing to measure."""
    machine, environment, catalog, expected = frameworks_here(request.environment, places, "tune")
    installed = {item.framework for item in expected}
    here = tuple(name for name in measurable() if name in installed)
    framework = _framework(request.framework, here, environment)
    chosen = _chosen(words.only, framework)
    return Subject(machine, environment, catalog, framework, chosen)


def _framework(asked: str | None, here: tuple[str, ...], environment: Environment) -> str:
    if not here:
        raise UsageError(
            f"nothing that can be measured is installed in `{environment.path}`",
            hint=f"it takes one of {', '.join(measurable())}; `--env PATH` names another environment",
        )
    if asked is None:
        return here[0]
    if asked not in here:
        raise UsageError(
            f"`{asked}` is not there, or cannot be measured", hint=f"here can be: {', '.join(here)}"
        )
    return asked


def _chosen(only: tuple[str, ...], framework: str) -> tuple[Measure, ...]:
    every = measures(framework)
    names = tuple(item.name for item in every)
    for word in only:
        if word not in names:
            raise UsageError(
                f"`{word}` cannot be measured of {framework}", hint=f"what can be: {', '.join(names)}"
            )
    return tuple(item for item in every if not only or item.name in only)


def _planned(request: Request, words: Words, subject: Subject) -> int:
    """What would be measured, and for how long."""
    document = TuneDocument.planned_of(subject.environment, subject.framework, subject.chosen)
    if request.as_json:
        json.write(document)
        return 0
    write(subject_lines(subject.environment, subject.framework, subject.chosen, words.seconds))
    seconds = {item.id: seconds_of(item, subject.chosen, words.seconds) for item in subject.chosen}
    write(planned_lines(subject.chosen, seconds))
    return 0


def _measured(
    runner: Contained, host: Host, subject: Subject, here: Surroundings, words: Words
) -> Iterator[Measured]:
    """One after the other: they share the machine, and a later one builds on an earlier one."""
    python = interpreter(host, subject.environment.path)
    found: dict[str, Measured] = {}
    with watched(sys.stderr) as watch, TemporaryDirectory(prefix="dlsetup-tune-") as scratch:
        watch.begin("measurements", len(subject.chosen))
        for item in subject.chosen:
            watch.step(item.title)
            told = {**_told(subject, here, words, found), "scratch": scratch}
            seconds = seconds_of(item, subject.chosen, words.seconds)
            found[item.name] = measure(runner, python, item, seconds, told)
            yield found[item.name]


def _told(subject: Subject, here: Surroundings, words: Words, found: dict[str, Measured]) -> dict[str, Any]:
    """What a program is told: the place, the room, and what is known by then."""
    count = here.cpu.count
    cores = 1 if isinstance(count, Unknown) else count
    memory = here.memory_bytes
    return {
        "model": words.model,
        "data": words.data,
        "batch": batch_to_compare(found.get("batch"), words.batch),
        "room_bytes": 0 if isinstance(memory, Unknown) else int(memory * SHARE),
        "gpu_bytes": _least_gpu(subject.machine),
        "threads": sorted({1, max(1, cores // 2), cores}),
        "use_threads": threads_to_go_on(found.get("threads")),
        "workers": sorted({0, 1, 2, max(1, cores // 2), cores} & set(range(cores + 1))),
        "backend": "tensorflow" if subject.framework == "tensorflow" else "",
    }


def _least_gpu(machine: Machine) -> int:
    """Bytes of the smallest GPU; 0: not known."""
    gpus = () if isinstance(machine.gpus, Unknown) else machine.gpus
    return min((item.memory_bytes for item in gpus if not isinstance(item.memory_bytes, Unknown)), default=0)


def _sourced(advice: tuple[Advice, ...], catalog: Catalog) -> tuple[Advice, ...]:
    """Sources in words."""

    def words(ids: tuple[str, ...]) -> tuple[str, ...]:
        found = (catalog.source(name) for name in ids)
        return tuple(f"{source.what} (checked {source.checked})" for source in found if source)

    return tuple(replace(item, sources=words(item.sources)) for item in advice)


def _script(request: Request, subject: Subject, settings: Settings, advice: tuple[Advice, ...]) -> str | None:
    """The training script, written where a file is named; None: none is asked for."""
    if request.script is None:
        return None
    text = training_script(subject.framework)
    assert text is not None, "every framework that is measured has a script"
    script = filled(text, settings, advice)
    if request.script != "-":
        save(Path(request.script), script)
    return script
