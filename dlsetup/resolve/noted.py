"""Which builds the note of a lock names, and for which targets."""

from __future__ import annotations

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from dlsetup.intake.target import parse
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Build, Catalog, Framework
from dlsetup.model.locked import LockNote, LockPick
from dlsetup.model.record import Unknown
from dlsetup.model.target import Target


def is_meant(note: LockNote, pick: LockPick, target: Target) -> bool:
    """Whether a pick is for the system and the processor of this target."""
    words = {item.name: item.words for item in note.targets}
    return any(_same_platform(words.get(name, ""), target) for name in pick.targets)


def _same_platform(words: str, target: Target) -> bool:
    """Words that cannot be read speak against nothing."""
    try:
        there = parse(words)
    except UsageError:
        return True
    pairs = ((there.os, target.os), (there.arch, target.arch))
    return all(isinstance(one, Unknown) or isinstance(other, Unknown) or one == other for one, other in pairs)


def noted_builds(pick: LockPick, framework: Framework, catalog: Catalog) -> tuple[list[Build], bool]:
    """The builds of the catalog that it may be, and whether the address tells which.

    A mirror has another address than the catalog knows.
    """
    addresses = {index.name: index.url or "" for index in catalog.indexes}
    same = [
        build for build in framework.builds if (build.version, build.variant) == (pick.version, pick.variant)
    ]
    there = [build for build in same if addresses.get(build.index, "").rstrip("/") == pick.index.rstrip("/")]
    return (there, True) if there else (same, False)


def extras_of(build: Build) -> list[str]:
    """The extras that ask for this build: those of its device, and `cpu` where a GPU would get another."""
    found: list[str] = [
        canonicalize_name(extra) for text in build.requirements for extra in Requirement(text).extras
    ]
    return [*found, "cpu"] if build.accelerator == "cpu" else found
