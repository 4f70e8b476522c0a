"""Reads `loading/*.toml`, curated: what frameworks have the loader do. Only who asks for copies needs it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dlsetup.catalog.load import Places, opened
from dlsetup.model.cuda_names import FORMS
from dlsetup.model.errors import DataError
from dlsetup.model.loading import Asking, Loading, LoadingKnowledge, Precedence
from dlsetup.model.record import Record
from dlsetup.model.source import Source


class LoadingFile(Record, frozen=True, kw_only=True):
    """`loading/NAME.toml`: of a framework, or of the libraries themselves (`cuda`)."""

    loading: tuple[Loading, ...] = ()
    """Newest releases first."""
    precedence: tuple[Precedence, ...] = ()
    asking: tuple[Asking, ...] = ()
    source: tuple[Source, ...] = ()


def loadings(frameworks: Iterable[str], folders: Places = ()) -> LoadingKnowledge:
    """What is known of these frameworks and of all libraries. Raises `DataError` for what cannot be used."""
    place = opened(folders)
    known = place.names("loading", ".toml")
    files = {name: place.toml(f"loading/{name}.toml", LoadingFile) for name in known}
    wanted = set(frameworks)
    read = {name: file for name, file in files.items() if file is not None}
    for name, file in read.items():
        fault = next(faults_of(file), None)
        if fault is not None:
            raise DataError(f"loading/{name}.toml: {fault}")
    return LoadingKnowledge(
        loadings={name: file.loading for name, file in read.items() if name in wanted},
        precedences={name: file.precedence for name, file in read.items() if name in wanted},
        askings=tuple(row for file in read.values() for row in file.asking),
        sources=tuple(row for file in read.values() for row in file.source),
    )


def faults_of(file: LoadingFile) -> Iterator[str]:
    """What makes a step useless: it does nothing, or two things at once, or does it nowhere."""
    for row in file.precedence:
        if row.before <= row.since:
            yield f"a row of `precedence` holds for no release: since {row.since}, before {row.before}"
        for word in row.own:
            if word not in FORMS:
                yield f"`{word}` in `own` is no library that copies are told apart of"
    for loading in file.loading:
        if loading.before is not None and loading.before <= loading.since:
            yield f"a row holds for no release: since {loading.since}, before {loading.before}"
        for step in loading.step:
            done = [bool(step.open), bool(step.ask), bool(step.preload and not step.open)]
            if sum(done) != 1:
                yield "a step does not do exactly one of `open`, `preload` and `ask`"
            if step.preload and not step.places:
                yield "a step preloads from no `places`"
            if step.rescue and not (step.open and step.preload):
                yield "a step with `rescue` needs `open` and `preload`"
            if bool(step.ask) != bool(step.of):
                yield "a step needs `ask` and `of` together"
