"""From a framework's file and the releases of its distributions to its builds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec.structs import replace
from packaging.version import Version

from dlsetup.catalog.asking import asked_for, requirements_of
from dlsetup.catalog.beyond import believed
from dlsetup.catalog.cited import learned_sources, listing_id, measured_id, registry_id
from dlsetup.catalog.form import (
    DEFAULT,
    BuildRow,
    CodeRow,
    FrameworkFile,
    PinRow,
    Release,
    WheelRow,
)
from dlsetup.catalog.generated_form import ListedRelease
from dlsetup.catalog.parts import Part, common_wheels, with_parts
from dlsetup.catalog.platforms import plain_tag
from dlsetup.catalog.shelf import Shelf
from dlsetup.model.builds import Builds
from dlsetup.model.framework import Build, Framework, Wheels
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.versions import CudaVersion

R = TypeVar("R", CodeRow, PinRow)


class Candidate(Record, frozen=True, kw_only=True):
    """A release that may become builds."""

    whole: Part
    counts_as: Version
    """The final release by which ranges are judged: 2.22.0 for 2.22.0rc0, or its counterpart's."""
    pinned: tuple[str, ...] = ()
    beyond: bool = False
    """Newer than what the rows speak of."""


def compose(file: FrameworkFile, shelf: Shelf, model: FrameworkFile | None = None) -> Framework:
    """The framework with a build for each release, variant, index and family of platforms; newest first.

    `model`: the file of the framework that this one is built like, but for releases of which its own file has
    rows. Builds are made when somebody asks.
    """
    rows = model or file
    composer = Composer(file, rows, shelf)
    own = Composer(replace(file, like=None), file, shelf)
    curated = file.source + (model.source if model else ())
    return Framework(
        name=file.name,
        title=file.title,
        family=file.family,
        distributions=file.distributions,
        imports=file.imports,
        builds=Builds(composer.versions, lambda version: own.of(version) or composer.of(version)),
        clues=file.clue,
        twins=file.twins,
        sources=(*curated, *learned_sources(file, rows, shelf)),
        known_to=UNKNOWN if file.known_to is None else file.known_to,
        ended=file.ended,
    )


class Composer:
    """Makes the builds of one framework: `rows` says which there are, `file` what they are called."""

    def __init__(self, file: FrameworkFile, rows: FrameworkFile, shelf: Shelf) -> None:
        self._file = file
        self._rows = rows
        self._shelf = shelf
        self._code = _by_variant(rows.code)
        self._pins = _by_variant(file.pins)

    def versions(self) -> list[str]:
        """Public versions of everything that may become a build, newest first."""
        names = {row.distribution or self._file.distributions[0] for row in self._rows.build}
        every = {release.version for name in names for release in self._shelf.releases(name)}
        return [version.public for version in sorted(every, reverse=True)]

    def of(self, version: str) -> tuple[Build, ...]:
        """One for each row about this release, and each family of platforms that has wheels of its own."""
        found: dict[str, Candidate | None] = {}
        made: list[Build] = []
        for row in self._rows.build:
            name = row.distribution or self._file.distributions[0]
            if name not in found:
                found[name] = self._candidate(name, self._shelf.release(name, version))
            candidate = found[name]
            if candidate is not None and row.holds_for(candidate.counts_as):
                builds = (self._build(row, candidate, family) for family in row.platforms)
                made += _each_wheel_once(build for build in builds if build is not None)
        return tuple(made)

    def _candidate(self, name: str, release: Release | None) -> Candidate | None:
        """None for a release that there is not, or that is built like another one and nothing says which."""
        if release is None:
            return None
        counterpart = self._counterpart(release)
        if counterpart is None:
            return None
        base, pinned = counterpart
        known = ((release.version, self._file.known_to), (base, self._rows.known_to))
        return Candidate(
            whole=Part(name=name, release=release),
            counts_as=Version(base.base_version) if base.is_prerelease else base,
            pinned=pinned,
            beyond=any(end is not None and version > end for version, end in known),
        )

    def _counterpart(self, release: Release) -> tuple[Version, tuple[str, ...]] | None:
        """The release that it is built like, and what its own metadata should say of that.

        A pin in the wheels of one platform holds for those of another one that forget it.
        """
        like = self._file.like
        if like is None:
            return release.version, ()
        for pair in like.pair:
            if pair.release == release.version:
                return pair.counterpart, pair.requires
        asked = (self._shelf.asked(item) for row in release.requires for item in row.base)
        pins = (self._shelf.specifier(item.specifier) for item in asked if item.name == like.framework)
        exact = next((pin for pins in pins for pin in pins if pin.operator == "=="), None)
        if exact is None:
            return None
        counterpart = Version(exact.version).public
        return Version(counterpart), (f"{like.framework}=={counterpart}",)

    def _build(self, row: BuildRow, candidate: Candidate, family: str) -> Build | None:
        """One build, or None where a wheel that it needs does not exist."""
        whole, shelf = candidate.whole, self._shelf
        listed = self._listed(row, whole)
        rows = self._wheel_rows(row, whole, listed, family)
        if not rows:
            return None
        own = shelf.required(whole.release, family, row.extras, row.without)
        found = with_parts(own, row, shelf, family)
        if found is None:
            return None
        parts = (whole, *found.parts)
        sizes = row.index == DEFAULT or bool(listed)
        wheels = common_wheels(
            [rows, *(shelf.wheels(part.release, family) for part in found.parts)], measured=sizes
        )
        asked = map(shelf.asked, found.requires)
        sure = believed(row, asked, listed=bool(listed)) if candidate.beyond else row
        if not wheels or sure is None:
            return None
        code = self._inside(sure, candidate, parts, family)
        pins = None if row.index == DEFAULT else _first(self._pins, row, candidate, family)
        pinned = pins.requires if pins else ()
        cited = [item.source for item in (self._file.like, row, code, pins) if item]
        cited += [listing_id(row.index)] if listed else []
        return Build(
            framework=self._file.name,
            version=whole.release.version,
            variant=sure.variant,
            accelerator=row.accelerator,
            cuda=_cuda(sure),
            wheels=wheels,
            requires_python=whole.release.python,
            index=row.index,
            requirements=requirements_of(row, whole.name, whole.release.version),
            kernels=code.kernels if code else UNKNOWN,
            exact=code.exact if code else (),
            ptx=code.ptx if code else UNKNOWN,
            gfx=code.gfx if code else UNKNOWN,
            min_capability=sure.min_capability,
            requires=tuple(dict.fromkeys((*found.requires, *row.requires, *pinned, *candidate.pinned))),
            one_of=row.one_of,
            expects=sure.expects,
            from_source=row.from_source,
            build_requires=row.build_requires,
            build_variables=row.build_variables,
            beyond=candidate.beyond,
            yanked=whole.release.yanked,
            prerelease=whole.release.version.is_prerelease,
            released=whole.release.released or UNKNOWN,
            sources=tuple(dict.fromkeys([*cited, *(registry_id(part.name) for part in parts)])),
        )

    def _listed(self, row: BuildRow, whole: Part) -> ListedRelease | None | Unknown:
        """The release as the row's own index has it; unknown for the default index too."""
        (name, *_) = sorted(asked_for(row, self._file))
        return self._shelf.listings.release(row.index, name, whole.release.version, row.variant)

    def _wheel_rows(
        self, row: BuildRow, whole: Part, listed: ListedRelease | None | Unknown, family: str
    ) -> list[WheelRow]:
        """The wheels of the release itself: those of its index where that was read, or the registry's."""
        if row.from_source:
            return [WheelRow(pythons="py3", platform=plain_tag(family), size_bytes=0)] * whole.release.sdist
        if isinstance(listed, Unknown):
            return self._shelf.wheels(whole.release, family)
        return [item for item in listed.wheels if self._shelf.serves(item.platform, family)] if listed else []

    def _inside(
        self, row: BuildRow, candidate: Candidate, parts: Sequence[Part], family: str
    ) -> CodeRow | None:
        """The architectures inside: read out of the very wheel, or else as a curated row says."""
        if row.index == DEFAULT and row.accelerator == "cuda":
            for part in parts:
                read = self._shelf.measured(part.name, part.release.version, family)
                if read is not None:
                    source = measured_id(part.name)
                    return CodeRow(
                        variant=row.variant,
                        platforms=(family,),
                        kernels=read.kernels,
                        exact=read.exact,
                        ptx=read.ptx,
                        source=source,
                    )
        return None if candidate.beyond else _first(self._code, row, candidate, family)


def _by_variant(rows: Iterable[R]) -> dict[str, list[R]]:
    found: dict[str, list[R]] = {}
    for row in rows:
        found.setdefault(row.variant, []).append(row)
    return found


def _first(rows: Mapping[str, Sequence[R]], about: BuildRow, candidate: Candidate, family: str) -> R | None:
    """The first row about this variant, release and platform."""
    fitting = (row for row in rows.get(about.variant, ()) if family in row.platforms)
    return next((row for row in fitting if row.holds_for(candidate.counts_as)), None)


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
