"""The platforms of a pixi workspace, and what a solver may count on there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from packaging.version import Version

from dlsetup.intake.pixi_file import SUBDIRS
from dlsetup.model.errors import UsageError
from dlsetup.model.machine import Libc
from dlsetup.model.record import Unknown
from dlsetup.model.resolution import Plan
from dlsetup.model.target import Target
from dlsetup.plan.lock_project import platform_marker
from dlsetup.plan.toml_edit import array_at, peek, plain, put, row, table_at

_MARKERS = {
    f"sys_platform == '{system}' and platform_machine == '{machine}'": subdir
    for subdir, (system, machine) in SUBDIRS.items()
}


def subdir_of(target: Target) -> str:
    """A target in the words of conda: `linux-64`. Raises `UsageError`."""
    if not (isinstance(target.os, Unknown) or isinstance(target.arch, Unknown)):
        found = _MARKERS.get(platform_marker(target, Version("3.12")))
        if found is not None:
            return found
    raise UsageError(
        f"pixi has no name for the system and the processor of {target.name}",
        hint="say them: `--target os=linux,arch=x86_64,…`, or choose another form",
    )


def platform_rows(plans: Sequence[Plan], subdir: str) -> dict[str, str]:
    """A platform with what all targets there have: CUDA's major, the oldest C library or macOS."""
    own = [plan for plan in plans if subdir_of(plan.target) == subdir]
    cuda = [plan.cuda for plan in own if plan.cuda is not None and plan.target.driver is not None]
    drivers = [plan for plan in own if plan.target.gpus != () and plan.target.driver is not None]
    said = {"platform": subdir}
    if cuda and len(cuda) == len(own) == len(drivers):
        said["cuda"] = f"{max(item.major for item in cuda)}.0"
    libcs = [plan.target.libc for plan in own if isinstance(plan.target.libc, Libc)]
    known = [item.version for item in libcs if item.name == "glibc" and not isinstance(item.version, Unknown)]
    if known and len(known) == len(own):
        said["glibc"] = str(min(known))
    releases = [plan.target.release for plan in own if plan.target.os == "macos"]
    told = [item for item in releases if not isinstance(item, Unknown)]
    if told and len(told) == len(own):
        said["macos"] = str(min(told))
    return said


def say_platforms(document: Any, workspace: Any, rows: Sequence[Mapping[str, str]], name: str) -> list[str]:
    """Write them where they stand; gives what could not be said."""
    notes: list[str] = []
    platforms = array_at(workspace, "platforms", name, multiline=len(rows) > 1)
    older = peek(document, "system-requirements") is not None
    for said in rows:
        place = _place(platforms, said["platform"])
        if older:
            _say_as_before(document, said, rows, name, notes)
        if place is None:
            platforms.append(said["platform"] if older or len(said) == 1 else row(said))
        elif not older and len(said) > 1:
            _complete(platforms, place, said)
    return notes


def _place(platforms: Sequence[Any], subdir: str) -> int | None:
    """The first entry for a platform."""
    for place, item in enumerate(platforms):
        table = plain(item) if isinstance(item, Mapping) else {"platform": str(item)}
        if table.get("platform", table.get("name")) == subdir:
            return place
    return None


def _complete(platforms: Any, place: int, said: Mapping[str, str]) -> None:
    """What is said of a platform already counts, but for a CUDA of another major."""
    known = platforms[place]
    if not isinstance(known, Mapping):
        platforms[place] = row(said)
        return
    if "cuda" in said and _major(known.get("cuda")) != _major(said["cuda"]):
        put(known, "cuda", said["cuda"])


def _major(cuda: Any) -> str:
    told = cuda.get("driver", "") if isinstance(cuda, Mapping) else cuda
    return str(told or "").partition(".")[0]


def _say_as_before(
    document: Any, said: Mapping[str, str], rows: Sequence[Mapping[str, str]], name: str, notes: list[str]
) -> None:
    """A file that has `[system-requirements]` keeps this older way, which holds for all platforms."""
    if "cuda" not in said:
        return
    if len(rows) > 1:
        notes.append("[system-requirements] holds for all platforms: CUDA is not written into it")
        return
    table = table_at(document, name, "system-requirements")
    if _major(table.get("cuda")) != _major(said["cuda"]):
        put(table, "cuda", said["cuda"])
