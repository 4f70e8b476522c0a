"""From the files of a registry's page and the metadata of its wheels to releases; pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from email.parser import HeaderParser

from msgspec.structs import replace
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from dlsetup.catalog.form import LibraryRow, Release, RequiresRow, TagsRow, WheelRow
from dlsetup.catalog.pages import File, Sdist, Wheel, python_order, spokesmen, weight
from dlsetup.model.errors import DataError
from dlsetup.model.record import Unknown


def releases(
    wheels: Iterable[Wheel],
    metadata: Mapping[str, str],
    extras: tuple[str, ...],
    sdists: Iterable[Sdist] = (),
) -> tuple[tuple[Release, ...], tuple[str, ...]]:
    """Releases, newest first, and what is wrong with those that no installer could read.

    `metadata` is by file name, for the wheels of `spokesmen`. With `sdists` releases without a wheel count
    too; what those require nobody says who has not built them.
    """
    sources = {sdist.version: sdist.file for sdist in sdists}
    by_version: dict[Version, list[Wheel]] = defaultdict(list)
    for wheel in wheels:
        by_version[wheel.version].append(wheel)
    made: list[Release] = []
    faults: list[str] = []
    for version in _standing({*by_version, *sources}):
        source = sources.get(version)
        try:
            if version in by_version:
                speakers = spokesmen(by_version[version])
                texts = {family: metadata[wheel.file.filename] for (_, family), wheel in speakers.items()}
                release = _release(version, by_version[version], texts, extras)
                made.append(replace(release, sdist=source is not None))
            elif source is not None:
                made.append(_source_release(version, source))
        except DataError as exc:
            faults.append(exc.message)
    return tuple(made), tuple(faults)


def versions(wheels: Iterable[Wheel], *, yanked: bool = False) -> tuple[Version, ...]:
    """Final releases with a wheel that is not yanked; with `yanked`, those where all are."""
    every = {wheel.version for wheel in wheels if not wheel.version.is_prerelease}
    good = {wheel.version for wheel in wheels if wheel.file.yanked is False} & every
    return tuple(sorted(every - good if yanked else good, reverse=True))


def built(wheels: Iterable[Wheel], sdists: Iterable[Sdist]) -> tuple[LibraryRow, ...]:
    """What the installable versions of a library are built for: a row wherever something changes."""
    sources = {sdist.version for sdist in sdists if sdist.file.yanked is False}
    by_version: dict[Version, list[Wheel]] = defaultdict(list)
    for wheel in wheels:
        if wheel.file.yanked is False and not wheel.version.is_prerelease:
            by_version[wheel.version].append(wheel)
    found: list[LibraryRow] = []
    for version in sorted(by_version, reverse=True):
        tags = (
            TagsRow(pythons=row.pythons, platform=row.platform) for row in wheel_rows(by_version[version])
        )
        row = LibraryRow(since=version, sdist=version in sources, wheels=tuple(tags))
        if found and replace(found[-1], since=version) == row:
            found.pop()
        found.append(row)
    return tuple(found)


def wheel_rows(wheels: list[Wheel]) -> tuple[WheelRow, ...]:
    """Wheels of one release by platform, with the Pythons that each is for and the size of the largest."""
    pythons: dict[str, set[str]] = defaultdict(set)
    sizes: dict[str, int] = defaultdict(int)
    for wheel in wheels:
        for tag in wheel.platforms:
            pythons[tag].update(wheel.pythons)
            size = wheel.file.size
            sizes[tag] = max(sizes[tag], 0 if isinstance(size, Unknown) else size)
    return tuple(
        WheelRow(
            pythons=" ".join(sorted(pythons[tag], key=python_order)), platform=tag, size_bytes=sizes[tag]
        )
        for tag in sorted(pythons)
    )


def requires(text: str, extras: tuple[str, ...], where: str) -> RequiresRow:
    """The requirements of one METADATA text, those of `extras` apart. Raises `DataError`."""
    base: list[str] = []
    by_extra: dict[str, list[str]] = defaultdict(list)
    for line in HeaderParser().parsestr(text).get_all("Requires-Dist", []):
        extra, requirement = _split(" ".join(line.split()), where)
        if not extra:
            base.append(requirement)
        elif extra in extras or "*" in extras:
            by_extra[extra].append(requirement)
    kept = {extra: tuple(sorted(set(items))) for extra, items in sorted(by_extra.items())}
    return RequiresRow(base=tuple(sorted(set(base))), extras=kept)


def _standing(versions: set[Version]) -> list[Version]:
    """Newest first, without prereleases that a final release overtook, be it one without wheels."""
    newest = max((version for version in versions if not version.is_prerelease), default=Version("0"))
    kept = (version for version in versions if not version.is_prerelease or version > newest)
    return sorted(kept, reverse=True)


def _release(
    version: Version, wheels: list[Wheel], texts: Mapping[str, str], extras: tuple[str, ...]
) -> Release:
    first = min(wheel.file.upload_time for wheel in wheels)
    newest = max(wheels, key=weight).file
    return Release(
        version=version,
        python=_requires_python(newest),
        released=first[:10],
        yanked=all(wheel.file.yanked is not False for wheel in wheels),
        wheels=wheel_rows(wheels),
        requires=_requires_rows(texts, extras, f"metadata of {newest.filename}"),
    )


def _source_release(version: Version, file: File) -> Release:
    return Release(
        version=version,
        python=_requires_python(file),
        released=file.upload_time[:10],
        yanked=file.yanked is not False,
        sdist=True,
    )


def _requires_python(file: File) -> SpecifierSet:
    try:
        return SpecifierSet(file.requires_python or "")
    except InvalidSpecifier as exc:
        raise DataError(f"{file.filename}: {exc}") from exc


def _requires_rows(texts: Mapping[str, str], extras: tuple[str, ...], where: str) -> tuple[RequiresRow, ...]:
    rows: list[tuple[RequiresRow, list[str]]] = []
    for family in sorted(texts):
        said = requires(texts[family], extras, where)
        same = next((group for row, group in rows if row == said), None)
        if same is None:
            rows.append((said, [family]))
        else:
            same.append(family)
    if len(rows) == 1:
        return (rows[0][0],) if rows[0][0] != RequiresRow() else ()
    return tuple(RequiresRow(platforms=tuple(group), base=row.base, extras=row.extras) for row, group in rows)


def _split(line: str, where: str) -> tuple[str, str]:
    """A requirement as (extra, requirement without the extra)."""
    try:
        requirement = Requirement(line)
    except InvalidRequirement as exc:
        raise DataError(f"{where}: {' '.join(str(exc).split())}") from exc
    marker = str(requirement.marker or "")
    if not re.search(r"\bextra\b", marker):
        return "", str(requirement)
    found = re.fullmatch(r'(?:(?P<rest>.+) and )?extra == "(?P<extra>[^"]+)"', marker)
    if not found or _unbound_or(found["rest"] or ""):
        raise DataError(f"{where}: cannot tell for which extra this is: {line}")
    bare = str(requirement).partition(";")[0].strip()
    rest = (found["rest"] or "").strip()
    return str(canonicalize_name(found["extra"])), f"{bare}; {rest}" if rest else bare


def _unbound_or(marker: str) -> bool:
    """Whether the marker says `or` outside of parentheses, or speaks of an extra itself."""
    outside = re.sub(r"\([^()]*\)", "", re.sub(r"\([^()]*\)", "", marker))
    return " or " in outside or re.search(r"\bextra\b", marker) is not None
