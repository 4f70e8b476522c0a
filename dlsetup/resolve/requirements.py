"""Names and versions that requirements of frameworks speak of, read from their texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from dlsetup.model.framework import Build, Catalog, Framework
from dlsetup.model.wish import Wanted
from dlsetup.resolve.refusals import specifier_admits
from dlsetup.rules.libraries import lines_of

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def names_asked(framework: Framework, *, local: bool = False) -> set[str]:
    """Names of everything that some build of a framework may ask for, whatever its markers.

    `local`: only of what it asks for with a local version.
    """
    texts = {text for build in framework.builds for text in (*build.requires, *build.one_of)}
    texts = {text for text in texts if "+" in text.partition(";")[0]} if local else texts
    written = {found[0] for found in map(_NAME.match, texts) if found}
    return set(map(canonicalize_name, written))


def brought_along(frameworks: Mapping[str, Framework], wanted: Iterable[Wanted]) -> Iterator[str]:
    """What comes along with a wanted framework, whichever of the releases asked for is taken."""
    for item in wanted:
        builds = [one for one in frameworks[item.framework].builds if specifier_admits(item.specifier, one)]
        if builds:
            yield from set.intersection(*map(_required, builds))


def _required(build: Build) -> set[str]:
    """Names of what a build asks for on every Python and every machine."""
    return {named_in(text) for text in build.requires if ";" not in text}


def shared_libraries(frameworks: Iterable[Framework], catalog: Catalog) -> frozenset[str]:
    """Libraries that two frameworks ask for, and those whose versions depend on the GPU."""
    seen: set[str] = set()
    shared: set[str] = set()
    for framework in frameworks:
        names = names_asked(framework)
        shared |= names & seen
        shared |= {name for name in names if lines_of(name, catalog.hardware)}
        seen |= names
    return frozenset(shared)


def samples(name: str, frameworks: Iterable[Framework]) -> Iterator[Version]:
    """A version at, and one just above, every bound that is asked of a library; and the lowest of all.

    If no sample satisfies a set of bounds, no version does.
    """
    yield Version("0")
    texts = {text for item in frameworks for build in item.builds for text in build.requires}
    for text in sorted(text for text in texts if named_in(text) == name):
        for word in re.findall(r"[=<>~]\s*([0-9][^\s,;)*]*)", text.partition(";")[0]):
            try:
                version = Version(word.rstrip("."))
            except InvalidVersion:
                continue
            yield from (version, Version(f"{version.base_version}.0.1"))


def named_in(text: str) -> str:
    """The distribution that a requirement is about."""
    found = _NAME.match(text)
    return canonicalize_name(found[0]) if found else ""
