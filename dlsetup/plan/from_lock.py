"""The plan that a lock stands for, as far as it and the catalog tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from packaging.version import Version

from dlsetup.model.framework import Build
from dlsetup.model.locked import Locked, LockNote
from dlsetup.model.record import Unknown
from dlsetup.model.resolution import Pick, Plan
from dlsetup.model.target import Interpreter, Target


def plan_of(
    locked: Locked, target: Target, python: Interpreter, builds: Sequence[Build], source: str
) -> Plan:
    """The builds that are in a lock, on one Python of the target. `source`: what holds the lock, in words."""
    version = python.version
    picks = tuple(_picks(locked, builds, source))
    return Plan(
        target=target,
        python=Version(f"{version.major}.{version.minor}"),
        interpreter=python.path,
        picks=picks,
        cuda=max((build.cuda for build in builds if build.cuda is not None), default=None),
        requirements=tuple(f"{item.name}=={item.version}" for item in locked.packages),
        because=(f"it is what {source} holds",),
    )


def note_of(locked: Locked, plan: Plan, version: str) -> LockNote:
    """What stands in the lock about itself, or else the little that is known."""
    if not isinstance(locked.note, Unknown):
        return locked.note
    return LockNote(version=version, python=plan.python)


def _picks(locked: Locked, builds: Sequence[Build], source: str) -> Iterator[Pick]:
    """What somebody asked for, where the lock tells that; else every framework in it."""
    noted = {} if isinstance(locked.note, Unknown) else {item.framework: item for item in locked.note.picks}
    known = {build.framework: build for build in builds}
    versions = {item.name: item.version for item in locked.packages}
    for name in noted or known:
        if name in known:
            build = known[name]
            yield Pick(
                framework=name,
                version=build.version,
                variant=build.variant,
                index=build.index,
                requirement=f"{name}=={versions.get(name, build.version)}",
                because=f"it is in {source}",
            )
        else:
            item = noted[name]
            yield Pick(
                framework=name,
                version=item.version,
                variant=item.variant,
                index="",
                requirement=f"{name}=={item.version}",
                because=f"it is in {source}",
            )
