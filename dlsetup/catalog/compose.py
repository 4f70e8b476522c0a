"""From a framework's file and the releases of its distributions to its builds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec.structs import replace
from packaging.version import Version

from dlsetup.catalog.form import BuildRow, CodeRow, FrameworkFile, GeneratedFile, PinRow, Release
from dlsetup.catalog.parts import Part, common_wheels, with_parts
from dlsetup.catalog.requirements import requires_on
from dlsetup.catalog.shelf import Shelf
from dlsetup.model.framework import Build, Framework, Wheels
from dlsetup.model.record import UNKNOWN, Record
from dlsetup.model.source import Source
from dlsetup.model.versions import CudaVersion

DEFAULT = "default"
R = TypeVar("R", CodeRow, PinRow)


class Candidate(Record, frozen=True, kw_only=True):
    """A release that may become builds."""

    whole: Part
    counts_as: Version
    """The final release by which ranges are judged: 2.22.0 for 2.22.0rc0, or its counterpart's."""
    pinned: tuple[str, ...] = ()


def compose(file: FrameworkFile, shelf: Shelf, model: FrameworkFile | None = None) -> Framework:
    """The framework with a build for each release, variant, index and family of platforms; newest first.

    `model`: the file of the framework that this one is built like.
    """
    builds = Composer(file, model or file, shelf).builds()
    curated = file.source + (model.source if model else ())
    generated = (shelf.file(row.name) for row in file.distribution)
    return Framework(
        name=file.name,
        title=file.title,
        family=file.family,
        distributions=file.distributions,
        imports=file.imports,
        builds=tuple(sorted(builds, key=lambda build: build.version, reverse=True)),
        clues=file.clue,
        twins=file.twins,
        sources=curated + tuple(_registry(item) for item in generated if item),
    )


def registry_id(distribution: str) -> str:
    """The id of the source that all generated rows of a distribution rest on."""
    return f"registry-{distribution}"


def _registry(file: GeneratedFile) -> Source:
    what = f"the registry's metadata of the wheels of `{file.distribution}`"
    return Source(id=registry_id(file.distribution), what=what, checked=file.checked)


class Composer:
    """Makes the builds of one framework: `rows` says which there are, `file` what they are called."""

    def __init__(self, file: FrameworkFile, rows: FrameworkFile, shelf: Shelf) -> None:
        self._file = file
        self._rows = rows
        self._shelf = shelf
        self._code = _by_variant(rows.code)
        self._pins = _by_variant(file.pins)
        self._found: dict[str, list[Candidate]] = {}

    def builds(self) -> Iterator[Build]:
        """One for each row, release in its range, and family of platforms that has wheels of its own."""
        for row in self._rows.build:
            for candidate in self._candidates(row.distribution or self._file.distributions[0]):
                if row.holds_for(candidate.counts_as):
                    made = (self._build(row, candidate, family) for family in row.platforms)
                    yield from _each_wheel_once(build for build in made if build is not None)

    def _candidates(self, name: str) -> list[Candidate]:
        if name not in self._found:
            found = (self._candidate(name, release) for release in self._shelf.releases(name))
            self._found[name] = [item for item in found if item is not None]
        return self._found[name]

    def _candidate(self, name: str, release: Release) -> Candidate | None:
        """None for a release built like another one of which nothing says which."""
        whole = Part(name=name, release=release)
        like = self._file.like
        if like is None:
            return Candidate(whole=whole, counts_as=_final(release.version))
        for pair in like.pair:
            if pair.release == release.version:
                return Candidate(whole=whole, counts_as=_final(pair.counterpart), pinned=pair.requires)
        asked = (self._shelf.asked(item) for row in release.requires for item in row.base)
        pins = (self._shelf.specifier(item.specifier) for item in asked if item.name == like.framework)
        exact = next((pin for pins in pins for pin in pins if pin.operator == "=="), None)
        return Candidate(whole=whole, counts_as=_final(Version(exact.version))) if exact else None

    def _build(self, row: BuildRow, candidate: Candidate, family: str) -> Build | None:
        """One build, or None where a wheel that it needs does not exist."""
        whole, shelf = candidate.whole, self._shelf
        if not shelf.wheels(whole.release, family):
            return None
        own = shelf.without(requires_on(whole.release, family, row.extras), row.without)
        found = with_parts(own, row, shelf, family)
        if found is None:
            return None
        parts = (whole, *found.parts)
        wheels = common_wheels(parts, shelf, family, measured=row.index == DEFAULT)
        if not wheels:
            return None
        code = _first(self._code, row, candidate, family)
        pins = None if row.index == DEFAULT else _first(self._pins, row, candidate, family)
        cited = [item.source for item in (self._file.like, row, code, pins) if item]
        return Build(
            framework=self._file.name,
            version=whole.release.version,
            variant=row.variant,
            accelerator=row.accelerator,
            cuda=_cuda(row),
            wheels=wheels,
            requires_python=whole.release.python,
            index=row.index,
            requirements=_requirements(row, whole),
            kernels=code.kernels if code else UNKNOWN,
            ptx=code.ptx if code else UNKNOWN,
            min_capability=row.min_capability,
            requires=(*found.requires, *(pins.requires if pins else ()), *candidate.pinned),
            yanked=whole.release.yanked,
            prerelease=whole.release.version.is_prerelease,
            released=whole.release.released or UNKNOWN,
            sources=tuple(dict.fromkeys([*cited, *(registry_id(part.name) for part in parts)])),
        )


def _by_variant(rows: Iterable[R]) -> dict[str, list[R]]:
    found: dict[str, list[R]] = {}
    for row in rows:
        found.setdefault(row.variant, []).append(row)
    return found


def _first(rows: Mapping[str, Sequence[R]], about: BuildRow, candidate: Candidate, family: str) -> R | None:
    """The first row about this variant, release and platform."""
    fitting = (row for row in rows.get(about.variant, ()) if family in row.platforms)
    return next((row for row in fitting if row.holds_for(candidate.counts_as)), None)


def _final(version: Version) -> Version:
    return Version(version.base_version) if version.is_prerelease else version


def _each_wheel_once(builds: Iterable[Build]) -> Iterator[Build]:
    """A wheel that serves two families (`universal2`) stays with the first of them."""
    taken: set[Wheels] = set()
    for build in builds:
        wheels = tuple(item for item in build.wheels if item not in taken)
        taken.update(wheels)
        if wheels:
            yield build if wheels == build.wheels else replace(build, wheels=wheels)


def _cuda(row: BuildRow) -> CudaVersion | None:
    if row.cuda is not None or row.accelerator != "cuda":
        return row.cuda
    return CudaVersion.from_variant(row.variant)


def _requirements(row: BuildRow, whole: Part) -> tuple[str, ...]:
    """What an installer is asked for; a build of another index by its local version."""
    local = ("{name}=={version}",) if row.index == DEFAULT else ("{name}=={version}+{variant}",)
    words = {"{name}": whole.name, "{version}": str(whole.release.version), "{variant}": row.variant}
    return tuple(_filled(text, words) for text in row.ask or local)


def _filled(text: str, words: Mapping[str, str]) -> str:
    for word, value in words.items():
        text = text.replace(word, value)
    return text
