"""What builds ask of other distributions: versions that must agree, and files that only one may write."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping

import msgspec
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from dlsetup.model.framework import Build, Catalog, Framework
from dlsetup.model.record import UNKNOWN
from dlsetup.model.target import Interpreter, Target
from dlsetup.resolve.library_wheels import LibraryWheels
from dlsetup.resolve.pieces import (
    DEFAULT_INDEX,
    Ask,
    Choice,
    Refusal,
    VersionChoice,
    files_key,
    library_key,
    python_name,
    variant_of,
)
from dlsetup.resolve.refusals import specifier_admits
from dlsetup.resolve.requirements import named_in, names_asked, samples, shared_libraries
from dlsetup.rules.libraries import (
    applying,
    marker_environment,
    may_write,
    overlap_of,
    versions_exist,
    versions_of,
)
from dlsetup.rules.wheels import platform_of

PINS_RULE = "rule pins"
FILES_RULE = "rule files"
_PINS = frozenset({PINS_RULE})
_FILES = frozenset({FILES_RULE})


class Companions:
    """The distributions that the frameworks in play ask for, read only as far as they are needed."""

    def __init__(
        self,
        frameworks: Mapping[str, Framework],
        target: Target,
        catalog: Catalog,
        wanted: Collection[str] = (),
    ) -> None:
        self.frameworks = frameworks
        self.wanted = wanted
        """Names of the frameworks that the wish names, and of what these surely bring along."""
        self.target = target
        self.catalog = catalog
        self.named = {
            name for item in frameworks.values() for name in names_asked(item) if name in frameworks
        }
        """Frameworks of which another one asks for certain versions."""
        self.local = {name for item in frameworks.values() for name in names_asked(item, local=True)}
        """Frameworks of which another one asks for a local version: for a certain variant, that is."""
        self._shared = shared_libraries(frameworks.values(), catalog)
        self._applying: dict[tuple[str, Version | None], Requirement | None] = {}
        self._admitted: dict[tuple[str, str], frozenset[Hashable]] = {}
        self._versions: dict[str, tuple[Version, ...]] = {}
        self._possible: dict[tuple[str, str], bool] = {}
        self._read: dict[tuple[object, ...], dict[str, SpecifierSet]] = {}
        self._asks: dict[tuple[object, ...], tuple[Ask, ...]] = {}
        self._wheels = LibraryWheels(target, catalog)
        self._lacking: dict[tuple[str, Interpreter], bool] = {}

    def serve(self, frameworks: Mapping[str, Framework], target: Target, wanted: Collection[str]) -> bool:
        """Whether they are those of a target like this too: GPUs and drivers change nothing in them."""
        same = [(name, id(item)) for name, item in frameworks.items()]
        return (
            same == [(name, id(item)) for name, item in self.frameworks.items()]
            and set(wanted) == set(self.wanted)
            and platform_only(target) == platform_only(self.target)
        )

    def asks(self, build: Build, interpreter: Interpreter) -> tuple[Ask, ...]:
        """What a build asks of frameworks, of shared libraries and of shared files.

        Builds that require the same ask the same: made once, and the same object for all of them.
        """
        key = (build.framework, *self.said(build, interpreter))
        if key not in self._asks:
            self._asks[key] = tuple(self._make_asks(build, interpreter))
        return self._asks[key]

    def _make_asks(self, build: Build, interpreter: Interpreter) -> Iterator[Ask]:
        for name, specifier in self._asked(build, interpreter):
            if name in self.frameworks and name != build.framework:
                yield Ask(name, "version", self._framework_versions(name, specifier), _PINS)
                if "+" in str(specifier):
                    yield Ask(name, "variant", self._framework_variants(name, specifier), _PINS)
            elif name in self._shared:
                yield Ask(library_key(name), "version", self._library_versions(name, specifier), _PINS)
                for clauses, refused in self._wheels.missing(name, interpreter):
                    yield Ask(library_key(name), "version", frozenset(self.versions(name)) - refused, clauses)
            overlap = overlap_of(name, self.catalog.hardware)
            if overlap is not None and may_write(overlap, name, specifier, self.catalog):
                yield Ask(files_key(overlap.path), "owner", frozenset({name}), _FILES)

    def against(self, build: Build, interpreter: Interpreter) -> Iterator[Refusal]:
        """Libraries that only this build asks for, in versions that cannot exist or be installed here."""
        for name, specifier in self._asked(build, interpreter):
            if name in self.frameworks or name in self._shared:
                continue
            text = f"{build.framework} {build.version} asks for {name}{specifier}"
            if not self._can_exist(name, specifier):
                yield Refusal(_PINS, f"{text}, which does not exist", build.sources)
                continue
            clauses = self._kept_out(name, specifier, interpreter)
            if clauses:
                place = f"Python {python_name(interpreter)} on {platform_of(self.target)}"
                yield Refusal(clauses, f"{text}, which has no wheel for {place}", build.sources)

    def choices(self, key: str) -> Iterator[Choice]:
        """Versions of a shared library, the newest first, or the possible owners of shared files."""
        name = key.removeprefix(library_key(""))
        if name != key:
            yield from (VersionChoice(key, item) for item in self.versions(name))
            return
        for row in self.catalog.hardware.overlaps:
            if files_key(row.path) == key:
                yield from (Choice(key, {"owner": owner}) for owner in sorted(row.distributions))

    def versions(self, name: str) -> tuple[Version, ...]:
        """Versions of a library, newest first: of the registry, else samples of all ranges asked for."""
        if name not in self._versions:
            known = versions_of(name, self.catalog)
            found = samples(name, self.frameworks.values()) if known is None else known
            self._versions[name] = tuple(sorted(set(found), reverse=True))
        return self._versions[name]

    def specifiers(self, build: Build, interpreter: Interpreter) -> dict[str, SpecifierSet]:
        """What a build asks for on this Python, one entry a distribution."""
        return dict(self._asked(build, interpreter))

    def _can_exist(self, name: str, specifier: SpecifierSet) -> bool:
        key = (name, str(specifier))
        if key not in self._possible:
            self._possible[key] = versions_exist((specifier,), versions_of(name, self.catalog)) != "no"
        return self._possible[key]

    def _kept_out(self, name: str, specifier: SpecifierSet, interpreter: Interpreter) -> frozenset[str]:
        if not self._wheels.missing(name, interpreter):
            return frozenset()
        return self._wheels.kept_out(name, self._library_versions(name, specifier), interpreter)

    def _asked(self, build: Build, interpreter: Interpreter) -> Iterable[tuple[str, SpecifierSet]]:
        key = self.said(build, interpreter)
        if key not in self._read:
            found: dict[str, SpecifierSet] = {}
            for text in (*build.requires, *self._chosen(build)):
                item = self._apply(text, interpreter)
                if item is not None:
                    name = canonicalize_name(item.name)
                    found[name] = found[name] & item.specifier if name in found else item.specifier
            self._read[key] = found
        return self._read[key].items()

    def said(self, build: Build, interpreter: Interpreter) -> tuple[object, ...]:
        """All that decides what a build asks for: Python only where a marker speaks of it or wheels lack."""
        texts = build.requires + build.one_of
        of_python = any("python" in text or self._lacks(text, interpreter) for text in texts)
        return build.requires, build.one_of, interpreter if of_python else None

    def _lacks(self, text: str, interpreter: Interpreter) -> bool:
        """Whether some versions of what is asked for have no wheel for this Python."""
        key = (text, interpreter)
        if key not in self._lacking:
            self._lacking[key] = bool(self._wheels.missing(named_in(text), interpreter))
        return self._lacking[key]

    def _chosen(self, build: Build) -> Iterable[str]:
        """Of the requirements of which one suffices, those on what is wanted anyway, or else the first."""
        return [text for text in build.one_of if named_in(text) in self.wanted] or build.one_of[:1]

    def _apply(self, text: str, interpreter: Interpreter) -> Requirement | None:
        """Markers are evaluated once a Python, and only once where they do not speak of Python."""
        key = (text, interpreter.version if "python" in text else None)
        if key not in self._applying:
            self._applying[key] = applying(text, marker_environment(interpreter, self.target))
        return self._applying[key]

    def _framework_versions(self, name: str, specifier: SpecifierSet) -> frozenset[Hashable]:
        key = (name, str(specifier))
        if key not in self._admitted:
            self._admitted[key] = frozenset(item.version for item in self._installable(name, specifier))
        return self._admitted[key]

    def _framework_variants(self, name: str, specifier: SpecifierSet) -> frozenset[Hashable]:
        """Of a release with a local version (`torch==2.9.0+cpu`) the builds that bear it."""
        return frozenset(map(variant_of, self._installable(name, specifier)))

    def _installable(self, name: str, specifier: SpecifierSet) -> Iterator[Build]:
        """What an installer accepts. No file of the default index has a local version."""
        local = {Version(item.version).public for item in specifier if "+" in item.version}
        for item in self.frameworks[name].builds:
            marked = item.index != DEFAULT_INDEX and item.version.public in local
            if specifier.contains(item.version, prereleases=True) or (
                marked and specifier_admits(specifier, item)
            ):
                yield item

    def _library_versions(self, name: str, specifier: SpecifierSet) -> frozenset[Hashable]:
        key = (name, str(specifier))
        if key not in self._admitted:
            known = self.versions(name)
            self._admitted[key] = frozenset(specifier.filter(known, prereleases=True))
        return self._admitted[key]


def platform_only(target: Target) -> Target:
    """A target without its devices and Pythons."""
    return msgspec.structs.replace(
        target, driver=UNKNOWN, cuda_ceiling=UNKNOWN, gpus=UNKNOWN, pythons=UNKNOWN
    )
