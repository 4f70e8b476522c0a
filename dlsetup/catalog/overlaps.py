"""Which distributions overwrite each other's files, as the file lists of their wheels have it; pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from packaging.specifiers import SpecifierSet

from dlsetup.catalog.file_lists import FileList
from dlsetup.catalog.generated_form import OverlapRow
from dlsetup.catalog.ranges import Member

Lists = Mapping[str, Mapping[str, Sequence[FileList]]]
"""File lists, oldest first, by distribution and family of platforms."""
Shared = Mapping[str, Mapping[str, frozenset[str]]]
"""By family and path, those that own it."""

_CODE = re.compile(r"\.(so(\.\d+)*|dll|pyd|dylib|exe|py|bc)$|(^|/)bin/")
_NO_MATTER = re.compile(r"(\.dist-info|\.data)/|(^|/)(LICENSE|LICENCE|NOTICE|COPYING)[^/]*$", re.IGNORECASE)


def overlaps(lists: Lists) -> tuple[OverlapRow, ...]:
    """A row for each group of distributions of which every two own a file of the same path.

    Those that overwrite each other's code come first; then those that share nothing but other files. Files
    that do not matter are passed over: metadata, licences, and a package's `__init__.py` that is the same in
    all of them.
    """
    families = sorted({family for by_family in lists.values() for family in by_family})
    shared = {family: _shared(_owners(lists, family)) for family in families}
    code = _pairs(shared, lambda path: bool(_CODE.search(path)))
    groups = [*_groups(code), *_groups(_pairs(shared, lambda _path: True) - code)]
    return tuple(_row(group, shared, lists) for group in groups)


def _pairs(shared: Shared, counts: Callable[[str], bool]) -> set[tuple[str, str]]:
    """All two that share a path that counts."""
    return {
        pair
        for paths in shared.values()
        for path, owners in paths.items()
        if counts(path)
        for pair in combinations(sorted(owners), 2)
    }


def _owners(lists: Lists, family: str) -> dict[str, dict[str, set[Member]]]:
    """By path and distribution, all that was ever at this path."""
    found: dict[str, dict[str, set[Member]]] = defaultdict(lambda: defaultdict(set))
    for name, by_family in lists.items():
        for item in by_family.get(family, ()):
            for member in item.members:
                if not _NO_MATTER.search(member.path):
                    found[member.path][name].add(member)
    return found


def _shared(paths: Mapping[str, Mapping[str, set[Member]]]) -> dict[str, frozenset[str]]:
    return {
        path: frozenset(owners) for path, owners in paths.items() if len(owners) > 1 and _differ(path, owners)
    }


def _differ(path: str, owners: Mapping[str, set[Member]]) -> bool:
    """False for the same `__init__.py` everywhere: it does not matter who wrote it."""
    return (
        not path.endswith("/__init__.py")
        or len({member for every in owners.values() for member in every}) > 1
    )


def _groups(pairs: set[tuple[str, str]]) -> Iterator[tuple[str, ...]]:
    """Groups of which every two are a pair, as large as can be; in alphabetical order."""
    names = sorted({name for pair in pairs for name in pair})
    left = set(pairs)
    while left:
        group = list(min(left))
        for name in names:
            if name not in group and all((min(name, item), max(name, item)) in pairs for item in group):
                group.append(name)
        left -= set(combinations(sorted(group), 2))
        yield tuple(sorted(group))


def _row(group: tuple[str, ...], shared: Shared, lists: Lists) -> OverlapRow:
    common = {
        family: [path for path, owners in paths.items() if len(owners & set(group)) > 1]
        for family, paths in shared.items()
    }
    every = {path for paths in common.values() for path in paths}
    code = {path for path in every if _CODE.search(path)}
    versions = {name: _versions(name, code or every, lists) for name in group}
    return OverlapRow(
        distributions=group,
        path=_folder(sorted(every)),
        code=len(code),
        other=len(every) - len(code),
        platforms=tuple(sorted(family for family, paths in common.items() if paths)),
        versions={name: found for name, found in versions.items() if str(found)},
    )


def _folder(paths: Iterable[str]) -> str:
    """The folder that all of them lie in, or else the package that most of them belong to."""
    parts = [path.split("/")[:-1] for path in paths]
    common: list[str] = []
    for names in zip(*parts, strict=False):
        if len(set(names)) > 1:
            break
        common.append(names[0])
    if common:
        return "/".join(common)
    return Counter(folders[0] for folders in parts if folders).most_common(1)[0][0]


def _versions(name: str, paths: set[str], lists: Lists) -> SpecifierSet:
    """The bounds, where some release that was looked at has none of these files."""
    own: dict[str, bool] = {}
    seen = sorted({item.version for by_family in lists[name].values() for item in by_family})
    for version in seen:
        own[str(version)] = any(
            member.path in paths
            for by_family in lists[name].values()
            for item in by_family
            if item.version == version
            for member in item.members
        )
    first = next(version for version in seen if own[str(version)])
    last = next(version for version in reversed(seen) if own[str(version)])
    after = seen[seen.index(last) + 1 :]
    bounds = ([f">={first}"] if first != seen[0] else []) + ([f"<{after[0]}"] if after else [])
    return SpecifierSet(",".join(bounds))
