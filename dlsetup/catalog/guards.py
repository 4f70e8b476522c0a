"""What a refresh must not do unasked: lose what was known, or contradict what a person has written; pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import Version

from dlsetup.catalog.form import (
    DEFAULT,
    BuildRow,
    CodeRow,
    FrameworkFile,
    GeneratedFile,
    MeasuredFile,
    MeasuredRow,
    Release,
)
from dlsetup.catalog.generated_form import ListingFile, OverlapsFile
from dlsetup.catalog.platforms import ANY, families
from dlsetup.catalog.requirements import canonical
from dlsetup.model.record import Record, Unknown

Generated = Mapping[str, GeneratedFile]
Measured = Mapping[str, MeasuredFile]
Found = Iterator[tuple[str, str]]
"""Distributions, and what speaks of them against a row."""


class Disagreement(Record, frozen=True, kw_only=True):
    """A curated row, and what the registry or a wheel says against it."""

    framework: str
    distribution: str
    """Of which the registry or the wheel is."""
    text: str

    def __str__(self) -> str:
        return f"{self.framework}: {self.text}"


def lost(old: GeneratedFile, new: GeneratedFile) -> list[str]:
    """Releases, wheels and versions of the old file that the new one does not have.

    A prerelease may go: a final release overtakes it.
    """
    have = {item.version: {row.platform for row in item.wheels} for item in new.releases}
    here = {*new.installable(), *new.yanked, *have}
    gone = [str(version) for version in old.installable() if version not in here]
    for release in old.releases:
        if release.version in have:
            missing = {row.platform for row in release.wheels} - have[release.version]
            gone += [f"{release.version} for {platform}" for platform in sorted(missing)]
    return gone


def lost_listed(old: ListingFile, new: ListingFile) -> list[str]:
    """Releases and platforms of the old listing that the new one does not have."""
    have = {(item.name, release.version): release for item in new.distributions for release in item.releases}
    gone: list[str] = []
    for item in old.distributions:
        for release in item.releases:
            now = have.get((item.name, release.version))
            if now is None:
                gone.append(f"{item.name} {release.version}")
                continue
            missing = {row.platform for row in release.wheels} - {row.platform for row in now.wheels}
            gone += [f"{item.name} {release.version} for {platform}" for platform in sorted(missing)]
    return gone


def lost_overlaps(old: OverlapsFile, new: OverlapsFile) -> list[str]:
    """Pairs of distributions that no longer share files."""
    have = _pairs_of(new)
    return [f"{one} and {other}" for one, other in sorted(_pairs_of(old) - have)]


def disagreements(
    files: Iterable[FrameworkFile], generated: Generated, measured: Measured
) -> list[Disagreement]:
    """Everything in these frameworks' files that what was learned speaks against.

    A distribution that nothing was ever learned of contradicts nobody.
    """
    checks = (_without_release, _without_extra, _pairs, _pins, _ends, _code)
    return [
        Disagreement(framework=file.name, distribution=distribution, text=text)
        for file in files
        for check in checks
        for distribution, text in check(file, generated, measured)
    ]


def _pairs_of(file: OverlapsFile) -> set[tuple[str, str]]:
    rows = (*file.libraries, *file.twins)
    return {pair for row in rows for pair in combinations(sorted(row.distributions), 2)}


def _without_release(file: FrameworkFile, generated: Generated, _measured: Measured) -> Found:
    """Builds that no release fits."""
    if file.like is not None:
        return
    for row in file.build:
        name = row.distribution or file.distributions[0]
        if name in generated and not any(_fits(row, item) for item in generated[name].releases):
            where = ", ".join(row.platforms)
            yield name, f"no release fits the build `{row.variant}`{_range(row)} for {where}"


def _without_extra(file: FrameworkFile, generated: Generated, _measured: Measured) -> Found:
    """Extras that the newest release of a build does not have."""
    if file.like is not None:
        return
    for row in file.build:
        name = row.distribution or file.distributions[0]
        newest = _newest(row, generated[name].releases) if name in generated else None
        if newest is None:
            continue
        have = {extra for item in newest.requires for extra in item.extras}
        for extra in row.extras:
            if extra not in have:
                build = f"the build `{row.variant}`"
                yield name, f"{newest.version} has no extra `{extra}`, which {build} asks for"


def _pairs(file: FrameworkFile, generated: Generated, _measured: Measured) -> Found:
    """Counterparts, one of which there is not."""
    if file.like is None:
        return
    for pair in file.like.pair:
        for name, version in ((file.distributions[0], pair.release), (file.like.framework, pair.counterpart)):
            if name in generated and _missing(version, generated[name]):
                yield name, f"there is no {name} {version}, which is paired"


def _pins(file: FrameworkFile, generated: Generated, _measured: Measured) -> Found:
    """Exact pins on what there is not."""
    pinned = [text for row in file.pins for text in row.requires]
    required = [text for row in file.build for text in row.requires]
    for text in dict.fromkeys(pinned + required):
        name, version = _exact(text)
        if name in generated and version is not None and _missing(version, generated[name]):
            yield name, f"there is no {name} {version}, which is pinned"


def _ends(file: FrameworkFile, generated: Generated, _measured: Measured) -> Found:
    """Releases that should be the last, or the newest that was looked at."""
    name = file.distributions[0]
    if name not in generated:
        return
    every = _versions(generated[name])
    for words, version in (("known to", file.known_to), ("ended with", file.ended and file.ended.last)):
        if version is not None and version not in every:
            yield name, f"it is {words} {version}, which there is not"
    newest = max((item for item in every if not item.is_prerelease), default=None)
    if file.ended and newest and newest > file.ended.last:
        yield name, f"it ended with {file.ended.last}, but there is {newest}"


def _code(file: FrameworkFile, _generated: Generated, measured: Measured) -> Found:
    """Architectures that wheels do not hold as a row has it."""
    if file.like is not None:
        return
    for row in file.build:
        if row.index != DEFAULT or row.accelerator != "cuda":
            continue
        for name in (row.distribution or file.distributions[0], *row.parts):
            for read in measured[name].rows if name in measured else ():
                if row.holds_for(read.version) and read.platform in row.platforms:
                    yield from ((name, text) for text in _differences(row, read, file.code))


def _differences(row: BuildRow, read: MeasuredRow, code: Iterable[CodeRow]) -> Iterator[str]:
    fitting = (item for item in code if item.variant == row.variant and read.platform in item.platforms)
    said = next((item for item in fitting if item.holds_for(read.version)), None)
    for what in ("kernels", "ptx", "exact") if said else ():
        written, found = getattr(said, what), getattr(read, what)
        if not isinstance(written, Unknown) and set(written) != set(found):
            has = " ".join(str(item) for item in found) or "none"
            says = " ".join(str(item) for item in written) or "none"
            yield f"{read.wheel} has {what} {has}, where the row of `{row.variant}` says {says}"


def _fits(row: BuildRow, release: Release) -> bool:
    """Whether the build could be made of the release."""
    base = Version(release.version.base_version) if release.version.is_prerelease else release.version
    if not row.holds_for(base):
        return False
    if row.from_source:
        return release.sdist
    served = {family for wheels in release.wheels for family in families(wheels.platform)}
    return bool(served & {ANY, *row.platforms})


def _newest(row: BuildRow, releases: Iterable[Release]) -> Release | None:
    """The newest final release that the build could be made of."""
    finals = (item for item in releases if not item.version.is_prerelease)
    return next((item for item in finals if _fits(row, item)), None)


def _versions(file: GeneratedFile) -> set[Version]:
    return {*file.versions, *file.yanked, *(item.version for item in file.releases)}


def _missing(version: Version, file: GeneratedFile) -> bool:
    """Whether there is no such version, where the file reaches back that far."""
    every = _versions(file)
    return version not in every and version >= min(every, default=version)


def _range(row: BuildRow) -> str:
    """Behind what it says more of: ` (since 2.1, before 2.3)`; nothing for a row without bounds."""
    since = [f"since {row.since}"] if row.since > Version("0") else []
    before = [f"before {row.before}"] if row.before else []
    return f" ({', '.join([*since, *before])})" if since or before else ""


def _exact(text: str) -> tuple[str, Version | None]:
    """The name, and the version that is named with `==`, without its local part."""
    try:
        asked = Requirement(text)
    except InvalidRequirement:
        return "", None
    pins = [item.version for item in asked.specifier if item.operator == "==" and "*" not in item.version]
    return canonical(asked.name), Version(re.sub(r"\+.*", "", pins[0])) if pins else None
