"""A target with the Pythons that the machine which builds for it has or can fetch."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace
from packaging.version import Version

from dlsetup.model.errors import UsageError
from dlsetup.model.record import Unknown
from dlsetup.model.target import Interpreter, Target


def building_target(target: Target, present: Iterable[Interpreter], fetchable: Iterable[Version]) -> Target:
    """Pythons that were said for the target stay the only ones; each gets its path on this machine."""
    there = tuple(present)
    lines = {_line(item.version) for item in there if not item.free_threaded}
    fetched = tuple(Interpreter(version=item) for item in fetchable if _line(item) not in lines)
    if isinstance(target.pythons, Unknown):
        return replace(target, pythons=(*there, *fetched))
    said = {_line(item.version) for item in target.pythons}
    return replace(target, pythons=tuple(item for item in (*there, *fetched) if _line(item.version) in said))


def only_present(target: Target) -> Target:
    """Without the Pythons that would have to be fetched."""
    if isinstance(target.pythons, Unknown):
        return target
    return replace(target, pythons=tuple(item for item in target.pythons if item.path is not None))


def check_buildable(target: Target, here: Target) -> None:
    """Raises `UsageError` where an environment for the target cannot be built on this machine."""
    for what, there, own in (("os", target.os, here.os), ("arch", target.arch, here.arch)):
        if not isinstance(there, Unknown) and not isinstance(own, Unknown) and there != own:
            raise UsageError(
                f"an environment for {what} {there} cannot be built on {what} {own}.",
                hint="`--dry-run` shows the steps, to carry them out there.",
            )


def _line(version: Version) -> tuple[int, int]:
    return version.major, version.minor
