"""From a framework's file and the releases of its distributions to its builds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from packaging.version import Version

from dlsetup.catalog.form import BuildRow, CodeRow, FrameworkFile, GeneratedFile, Like, PinRow, Release
from dlsetup.catalog.parts import Part, common_wheels, with_parts
from dlsetup.catalog.requirements import requires_on, without
from dlsetup.catalog.shelf import Shelf
from dlsetup.model.framework import Build, Framework, Source
from dlsetup.model.record import UNKNOWN, Record
from dlsetup.model.versions import CudaVersion

DEFAULT = "default"
R = TypeVar("R", CodeRow, PinRow)


class Candidate(Record, frozen=True, kw_only=True):
    """A release on one family of platforms, about to become a build."""

    whole: Part
    counts_as: Version
    """The release by which ranges are judged: its counterpart's for a framework built like another."""
    family: str
    pinned: tuple[str, ...] = ()


def compose(
    file: FrameworkFile, generated: Mapping[str, GeneratedFile], model: FrameworkFile | None = None
) -> Framework:
    """The framework with a build for each release, variant, index and family of platforms; newest first.

    `model`: the file of the framework that this one is built like.
    """
    shelf = Shelf(generated)
    rows = model or file
    made = [
        build
        for row in rows.build
        for candidate in _candidates(row, file, shelf)
        if (build := _build(row, rows, candidate, file, shelf)) is not None
    ]
    made.sort(key=lambda build: build.version, reverse=True)
    sources = file.source + (model.source if model else ())
    return Framework(
        name=file.name,
        title=file.title,
        family=file.family,
        distributions=file.distributions,
        imports=file.imports,
        builds=tuple(made),
        clues=file.clue,
        twins=file.twins,
        sources=sources + tuple(_registry(item) for item in generated.values() if item.releases),
    )


def registry_id(distribution: str) -> str:
    """The id of the source that all generated rows of a distribution rest on."""
    return f"registry-{distribution}"


def _registry(file: GeneratedFile) -> Source:
    what = f"the registry's metadata of the wheels of `{file.distribution}`"
    return Source(id=registry_id(file.distribution), what=what, checked=file.checked)


def _candidates(row: BuildRow, file: FrameworkFile, shelf: Shelf) -> Iterator[Candidate]:
    """Releases in the row's range, newest first, on each of its platforms."""
    name = row.distribution or file.distributions[0]
    for version, release in shelf.releases(name):
        counts_as, pinned = _counterpart(file.like, version, release, shelf)
        if counts_as is not None and shelf.within(counts_as, row.since, row.before):
            whole = Part(name=name, version=version, release=release)
            for family in row.platforms:
                yield Candidate(whole=whole, counts_as=counts_as, family=family, pinned=pinned)


def _counterpart(
    like: Like | None, version: Version, release: Release, shelf: Shelf
) -> tuple[Version | None, tuple[str, ...]]:
    """The release it was built in step with, by its pair or its own exact pin; itself where it has none."""
    if like is None:
        return version, ()
    for pair in like.pair:
        if pair.release == release.version:
            return shelf.version(pair.counterpart), pair.requires
    start = f"{like.framework}=="
    pins = (item for row in release.requires for item in row.base if item.startswith(start))
    pin = next(pins, None)
    return (shelf.version(pin.removeprefix(start).partition(";")[0].strip()) if pin else None), ()


def _build(
    row: BuildRow, rows: FrameworkFile, candidate: Candidate, file: FrameworkFile, shelf: Shelf
) -> Build | None:
    """One build, or None where a wheel that it needs does not exist."""
    whole, family = candidate.whole, candidate.family
    own = without(requires_on(whole.release, family, row.extras), row.without)
    found = with_parts(own, row, shelf, family)
    if found is None:
        return None
    requires, parts = found
    wheels = common_wheels([whole, *parts], shelf, family, measured=row.index == DEFAULT)
    if not wheels:
        return None
    code = _first(rows.code, row.variant, candidate, shelf)
    pins = None if row.index == DEFAULT else _first(file.pins, row.variant, candidate, shelf)
    cited = [item.source for item in (file.like, row, code, pins) if item]
    return Build(
        framework=file.name,
        version=whole.version,
        variant=row.variant,
        accelerator=row.accelerator,
        cuda=row.cuda or (CudaVersion.from_variant(row.variant) if row.accelerator == "cuda" else None),
        wheels=wheels,
        requires_python=shelf.specifier(whole.release.python),
        index=row.index,
        requirements=tuple(_filled(item, whole) for item in row.ask),
        kernels=code.kernels if code else UNKNOWN,
        ptx=code.ptx if code else UNKNOWN,
        min_capability=row.min_capability,
        requires=(*requires, *(pins.requires if pins else ()), *candidate.pinned),
        yanked=whole.release.yanked,
        prerelease=whole.version.is_prerelease,
        released=whole.release.released or UNKNOWN,
        sources=tuple(dict.fromkeys([*cited, *(registry_id(part.name) for part in (whole, *parts))])),
    )


def _filled(ask: str, whole: Part) -> str:
    return ask.replace("{name}", whole.name).replace("{version}", whole.release.version)


def _first(rows: tuple[R, ...], variant: str, candidate: Candidate, shelf: Shelf) -> R | None:
    """The first row about this variant, release and platform."""
    for row in rows:
        fits = row.variant == variant and candidate.family in row.platforms
        if fits and shelf.within(candidate.counts_as, row.since, row.before):
            return row
    return None
