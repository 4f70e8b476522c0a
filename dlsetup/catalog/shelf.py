"""Generated files of one question, with every requirement read once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

from msgspec.structs import replace
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from dlsetup.catalog.folders import Folders, Head, Sheet
from dlsetup.catalog.form import GeneratedFile, LibraryRow, MeasuredFile, MeasuredRow, Release, WheelRow
from dlsetup.catalog.listed import Listings
from dlsetup.catalog.platforms import ANY, families
from dlsetup.catalog.requirements import Asked, parts_of, requires_on
from dlsetup.model.codec import decode
from dlsetup.model.errors import DataError
from dlsetup.model.framework import LibraryWheels, Wheels

V = TypeVar("V")


class Shelf:
    """Releases by distribution. Lives for one load; reads what it holds only when asked."""

    def __init__(
        self,
        sheets: Mapping[str, Sheet],
        measured: Mapping[str, MeasuredFile],
        place: Folders,
        tags: Mapping[str, Mapping[str, str]],
        listings: Listings,
    ) -> None:
        self.listings = listings
        self._sheets = sheets
        self._measured = measured
        self._place = place
        self._tags = tags
        """By distribution: see `DistributionRow.tags`."""
        self._files: dict[str, GeneratedFile | None] = {}
        self._specifiers: dict[str, SpecifierSet] = {}
        self._wheels: dict[tuple[int, str], list[WheelRow]] = {}
        """By identity: the shelf holds every release as long as it lives."""
        self._families: dict[str, tuple[str, ...]] = {}
        self._by_version: dict[str, dict[str, Release]] = {}
        self._asked: dict[str, Asked] = {}
        self._newest: dict[tuple[str, str], Release | None] = {}
        self._built: dict[str, tuple[LibraryWheels, ...]] = {}
        self._required: dict[tuple[object, ...], list[str]] = {}

    def file(self, distribution: str) -> GeneratedFile | None:
        """None: the registry was never asked about it."""
        sheet = self._sheets.get(distribution)
        if sheet is None:
            return None
        if distribution not in self._files:
            read = partial(decode, sheet.text, GeneratedFile, where=sheet.where)
            file = self._place.sound(read)
            self._files[distribution] = file and _tagged(file, self._tags.get(distribution, {}))
        return self._files[distribution]

    def head(self, distribution: str) -> Head | None:
        """What a file says of itself, without reading more of it."""
        sheet = self._sheets.get(distribution)
        return sheet.head if sheet else None

    def measured(self, distribution: str, version: Version, family: str) -> MeasuredRow | None:
        """What was read out of the very wheel."""
        file = self._measured.get(distribution)
        rows = file.rows if file else ()
        return next((row for row in rows if row.version == version and row.platform == family), None)

    def measured_file(self, distribution: str) -> MeasuredFile | None:
        """None: no wheel of it was ever read."""
        return self._measured.get(distribution)

    def specifier(self, text: str) -> SpecifierSet:
        """Raises `DataError` for what is no specifier."""
        found = self._specifiers.get(text)
        if found is None:
            try:
                found = self._specifiers[text] = SpecifierSet(text)
            except InvalidSpecifier as exc:
                raise DataError(f"a requirement in the catalog: {exc}") from exc
        return found

    def versions(self, distribution: str) -> tuple[Version, ...]:
        """Versions of a library, newest first; empty where there is no file."""
        file = self.file(distribution)
        return file.installable() if file else ()

    def built(self, distribution: str) -> tuple[LibraryWheels, ...]:
        """What the versions of a library are built for, newest first; empty where nobody has looked."""
        if distribution not in self._built:
            file = self.file(distribution)
            self._built[distribution] = tuple(map(_library_wheels, file.built)) if file else ()
        return self._built[distribution]

    def releases(self, distribution: str) -> tuple[Release, ...]:
        """Releases of a distribution, newest first; empty where there is no file."""
        file = self.file(distribution)
        return file.releases if file else ()

    def release(self, distribution: str, version: str) -> Release | None:
        """One release by its public version."""
        if distribution not in self._by_version:
            every = self.releases(distribution)
            self._by_version[distribution] = {item.version.public: item for item in every}
        return self._by_version[distribution].get(version)

    def asked(self, requirement: str) -> Asked:
        """A requirement in its parts."""
        found = self._asked.get(requirement)
        if found is None:
            found = self._asked[requirement] = parts_of(requirement)
        return found

    def required(
        self, release: Release, family: str, extras: tuple[str, ...], without: tuple[str, ...]
    ) -> list[str]:
        """What a release requires on a family of platforms with these extras, but for what fits a pattern of
        `without` (`nvidia-*`). Most builds of a release require the same.
        """
        key = (id(release), family, extras, without)
        if key not in self._required:
            starts = tuple(pattern[:-1] for pattern in without if pattern.endswith("*"))
            self._required[key] = [
                item
                for item in requires_on(release, family, extras)
                if not (name := self.asked(item).name).startswith(starts) and name not in without
            ]
        return self._required[key]

    def newest(self, distribution: str, specifier: str) -> Release | None:
        """The newest release that fits and is not yanked."""
        key = (distribution, specifier)
        if key not in self._newest:
            wanted = self.specifier(specifier)
            fitting = (
                release
                for release in self.releases(distribution)
                if not release.yanked and wanted.contains(release.version)
            )
            self._newest[key] = next(fitting, None)
        return self._newest[key]

    def wheels(self, release: Release, family: str) -> list[WheelRow]:
        """The wheels of a release for one family of platforms, or for any."""
        key = (id(release), family)
        if key not in self._wheels:
            self._wheels[key] = [row for row in release.wheels if self.serves(row.platform, family)]
        return self._wheels[key]

    def serves(self, platform: str, family: str) -> bool:
        """Whether wheels of a platform tag install on a family of platforms."""
        found = self._families.get(platform)
        if found is None:
            found = self._families[platform] = families(platform)
        return family in found or ANY in found


def _library_wheels(row: LibraryRow) -> LibraryWheels:
    wheels = (Wheels(pythons=tuple(item.pythons.split()), platform=item.platform) for item in row.wheels)
    return LibraryWheels(since=row.since, wheels=tuple(wheels), source=row.sdist)


def _tagged(file: GeneratedFile, tags: Mapping[str, str]) -> GeneratedFile:
    """The file with other platform tags where its wheels have wrong ones."""
    if not tags:
        return file
    releases = (
        replace(item, wheels=tuple(_retagged(row, tags) for row in item.wheels)) for item in file.releases
    )
    return replace(file, releases=tuple(releases))


def _retagged(row: WheelRow, tags: Mapping[str, str]) -> WheelRow:
    return replace(row, platform=tags.get(row.platform, row.platform))


class OfLibraries(Mapping[str, V]):
    """Something about the libraries that frameworks pin, read when somebody asks for one."""

    def __init__(self, names: Sequence[str], read: Callable[[str], V]) -> None:
        self._names = names
        self._read = read

    def __getitem__(self, name: str) -> V:
        if name not in self._names:
            raise KeyError(name)
        return self._read(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
