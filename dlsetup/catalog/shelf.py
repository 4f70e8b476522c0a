"""Generated files of one question, with every version and specifier read once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from dlsetup.catalog.form import GeneratedFile, Release, WheelRow
from dlsetup.catalog.platforms import ANY, families
from dlsetup.catalog.requirements import Asked, parts_of
from dlsetup.model.errors import DataError


class Shelf:
    """Releases by distribution. Lives for one load; reads what it holds only when asked."""

    def __init__(self, generated: Mapping[str, GeneratedFile]) -> None:
        self._generated = generated
        self._versions: dict[str, Version] = {}
        self._specifiers: dict[str, SpecifierSet] = {}
        self._releases: dict[str, list[tuple[Version, Release]]] = {}
        self._families: dict[str, tuple[str, ...]] = {}
        self._asked: dict[str, Asked] = {}
        self._newest: dict[tuple[str, str], tuple[Version, Release] | None] = {}

    def file(self, distribution: str) -> GeneratedFile | None:
        """None: the registry was never asked about it."""
        return self._generated.get(distribution)

    def version(self, text: str) -> Version:
        """Raises `DataError` for what is no version."""
        found = self._versions.get(text)
        if found is None:
            try:
                found = self._versions[text] = Version(text)
            except InvalidVersion as exc:
                raise DataError(f"catalog: {exc}") from exc
        return found

    def specifier(self, text: str) -> SpecifierSet:
        """Raises `DataError` for what is no specifier."""
        found = self._specifiers.get(text)
        if found is None:
            try:
                found = self._specifiers[text] = SpecifierSet(text)
            except InvalidSpecifier as exc:
                raise DataError(f"catalog: {exc}") from exc
        return found

    def versions(self, distribution: str) -> tuple[Version, ...]:
        """Versions of a library, newest first; empty where there is no file."""
        file = self._generated.get(distribution)
        return tuple(self.version(text) for text in file.versions) if file else ()

    def releases(self, distribution: str) -> list[tuple[Version, Release]]:
        if distribution not in self._releases:
            file = self._generated.get(distribution)
            rows = file.releases if file else ()
            self._releases[distribution] = [(self.version(row.version), row) for row in rows]
        return self._releases[distribution]

    def within(self, version: Version, since: str, before: str | None) -> bool:
        """Whether a release lies in a range; 2.22.0rc0 counts as 2.22.0."""
        if version.is_prerelease:
            version = self.version(version.base_version)
        return version >= self.version(since) and (before is None or version < self.version(before))

    def asked(self, requirement: str) -> Asked:
        """A requirement in its parts."""
        found = self._asked.get(requirement)
        if found is None:
            found = self._asked[requirement] = parts_of(requirement)
        return found

    def without(self, requirements: Iterable[str], patterns: Sequence[str]) -> list[str]:
        """The requirements whose name fits none of the patterns (`nvidia-*`)."""
        if not patterns:
            return list(requirements)
        starts = tuple(pattern[:-1] for pattern in patterns if pattern.endswith("*"))
        return [
            item
            for item in requirements
            if not (name := self.asked(item).name).startswith(starts) and name not in patterns
        ]

    def newest(self, distribution: str, specifier: str) -> tuple[Version, Release] | None:
        """The newest release that fits and is not yanked."""
        key = (distribution, specifier)
        if key not in self._newest:
            wanted = self.specifier(specifier)
            fitting = (
                (version, release)
                for version, release in self.releases(distribution)
                if not release.yanked and wanted.contains(version)
            )
            self._newest[key] = next(fitting, None)
        return self._newest[key]

    def wheels(self, release: Release, family: str) -> list[WheelRow]:
        """The wheels of a release for one family of platforms, or for any."""
        return [row for row in release.wheels if self._serves(row.platform, family)]

    def _serves(self, platform: str, family: str) -> bool:
        found = self._families.get(platform)
        if found is None:
            found = self._families[platform] = families(platform)
        return family in found or ANY in found
