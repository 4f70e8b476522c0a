"""Which files wheels write, read out of their own lists, and of as few wheels as will tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from packaging.version import Version

from dlsetup.catalog.pages import Wheel, spokesmen
from dlsetup.catalog.ranges import Member
from dlsetup.model.record import Record

Read = Callable[[Wheel], tuple[Member, ...]]

FAMILIES = ("linux-x86_64", "windows-amd64")
"""Where file lists are read; other platforms lay their files out like one of them."""
DEPTHS = {"nvidia": 3}
"""How many folders of a path make out its place; one, where the first is not shared by many distributions."""


class FileList(Record, frozen=True, kw_only=True):
    """The files of one wheel."""

    version: Version
    members: tuple[Member, ...]

    @property
    def layout(self) -> frozenset[str]:
        """The places that it fills, but for that of its metadata."""
        folders = (item.path.split("/")[:-1] for item in self.members)
        return frozenset(
            "/".join(parts[: DEPTHS.get(parts[0], 1)])
            for parts in folders
            if parts and not parts[0].endswith(".dist-info")
        )


def file_lists(wheels: Iterable[Wheel], family: str, read: Read) -> tuple[FileList, ...]:
    """File lists of one distribution, oldest first: the first and last release of each line, and where the
    layout changes between two of those also the releases on both sides of the change.
    """
    speakers = spokesmen(wheels)
    every = sorted(version for version, _ in speakers if not version.is_prerelease)
    versions = [
        item for item in dict.fromkeys(every) if (item, family) in speakers or (item, "any") in speakers
    ]
    found: dict[Version, FileList] = {}

    def at(version: Version) -> FileList:
        if version not in found:
            wheel = speakers.get((version, family)) or speakers[version, "any"]
            found[version] = FileList(version=version, members=read(wheel))
        return found[version]

    ends = [end for line in _lines(versions) for end in dict.fromkeys((line[0], line[-1]))]
    for older, newer in zip([*ends[:1], *ends], ends, strict=False):
        _narrow(versions[versions.index(older) : versions.index(newer) + 1], at)
    return tuple(found[version] for version in sorted(found))


def _lines(versions: Sequence[Version]) -> list[list[Version]]:
    """Releases of one major each; below 1.0 of one minor."""
    return [
        list(line) for _, line in groupby(versions, key=lambda item: item.release[: 1 if item.major else 2])
    ]


def _narrow(versions: Sequence[Version], at: Callable[[Version], FileList]) -> None:
    """Reads the releases in the middle of ever shorter pieces at whose ends the layout differs."""
    if at(versions[0]).layout == at(versions[-1]).layout or len(versions) < 3:
        return
    middle = len(versions) // 2
    _narrow(versions[: middle + 1], at)
    _narrow(versions[middle:], at)
