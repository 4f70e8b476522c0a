"""What broken-off installations left in an environment, and what to do about it inside of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from packaging.version import Version

from dlsetup.model.machine import Environment, Remains
from dlsetup.model.record import Unknown
from dlsetup.model.repair import FileChange


def emptied(environment: Environment) -> tuple[str, ...]:
    """Pins (`name==version`) of what has to be installed again: its metadata is there, its files are not."""
    pins = (
        f"{item.name}=={item.version}" for item in _again(environment) if isinstance(item.version, Version)
    )
    return tuple(dict.fromkeys(pins))


def cleared(environment: Environment) -> Iterator[FileChange]:
    """Folders that go."""
    again = {item.path for item in _again(environment)}
    for item in _inside(environment):
        if item.kind == "leftover":
            because = "it is left of an installation that broke off"
        elif item.path in again:
            because = f"the files of {item.name} are gone: it is installed again"
        elif item.kind == "twice" and not _is_kept(environment, item):
            because = f"{item.name} is listed twice, and the files are not those of {item.version}"
        else:
            continue
        yield FileChange(path=relative(item.path, environment), text=None, because=because)


def kept_of_two(environment: Environment) -> dict[str, Version | Unknown]:
    """Of every distribution that is listed twice and has its files: the version that they are of."""
    twice = [item for item in _inside(environment) if item.kind == "twice" and item.owns]
    return {item.name: item.version for item in twice if _is_kept(environment, item)}


def relative(path: str, environment: Environment) -> str:
    """A path inside the environment, seen from there."""
    return PurePosixPath(path).relative_to(environment.path).as_posix()


def is_inside(path: str, environment: Environment) -> bool:
    """Whether it lies in the environment itself, not in what that only sees."""
    return PurePosixPath(path).is_relative_to(environment.path)


def _again(environment: Environment) -> list[Remains]:
    """Metadata without files; and of several of one name without any that fits the files, the newest."""
    found = [item for item in _inside(environment) if item.kind == "emptied"]
    twice = [item for item in _inside(environment) if item.kind == "twice"]
    kept = [item for item in twice if not item.owns and _is_kept(environment, item)]
    return [*found, *kept]


def _is_kept(environment: Environment, item: Remains) -> bool:
    """Of several of one name: the newest of those whose files are there, else the newest."""
    same = [other for other in _inside(environment) if (other.kind, other.name) == ("twice", item.name)]
    owning = [other for other in same if other.owns] or same
    return item == max(owning, key=lambda other: (_version(other), other.path))


def _version(item: Remains) -> Version:
    return item.version if isinstance(item.version, Version) else Version("0")


def _inside(environment: Environment) -> list[Remains]:
    known = () if isinstance(environment.remains, Unknown) else environment.remains
    return [item for item in known if is_inside(item.path, environment)]
