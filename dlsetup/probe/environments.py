"""Environments and interpreters: all are listed, one is examined."""

from __future__ import annotations

import re
import shlex

from msgspec.structs import replace

from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Clue
from dlsetup.model.machine import Distribution, Environment, Remains, SharedFiles
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.probe.conda import conda_packages
from dlsetup.probe.conda_records import replaced_by_pip
from dlsetup.probe.distributions import Site, concerns, with_conda
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes
from dlsetup.probe.python_places import active, first_on_path, places, project
from dlsetup.probe.pythons import Place, environment_in, python_at
from dlsetup.probe.remains import remains
from dlsetup.probe.shared_files import shared_files
from dlsetup.probe.sites import sites

HINT_LIMIT = 12
TRIMS_LIMIT = 64 << 10


def environments(
    host: Host, notes: Notes, *, asked: str | None, clues: tuple[Clue, ...]
) -> tuple[Environment, ...]:
    """Every Python that was found, the examined one first and with what is installed in it.

    `asked` is a path or a name. Raises `UsageError` if there is no such environment.
    """
    found = places(host)
    chosen = _asked(host, found, asked) if asked is not None else _usual(host, found, notes)
    if chosen is None:
        notes.gap(
            "environment",
            "no working Python 3 is active here, in this folder or on PATH",
            "dlsetup doctor --env PATH",
        )
        return tuple(place.environment for place in found)
    itself = host.real(chosen.environment.path)
    others = (item.environment for item in found if host.real(item.environment.path) != itself)
    return (examine(host, notes, chosen, clues), *others)


def examine(host: Host, notes: Notes, place: Place, clues: tuple[Clue, ...]) -> Environment:
    """The environment with its distributions and the files they fight over."""
    found: list[Distribution] = []
    shared: list[tuple[SharedFiles, ...] | Unknown] = []
    left: list[Remains] = []
    folders = sites(host, place)
    for folder in folders:
        pairs = Site(host, folder).distributions(clues)
        found.extend(item for item, _ in pairs)
        owners = [(item.name, entry) for item, entry in pairs if concerns(item.name, clues)]
        shared.append(shared_files(host, folder, owners))
        left.extend(remains(host, folder, pairs, clues))
        if shared[-1] is UNKNOWN:
            notes.gap("environment.shared_files", f"the records in `{folder}` are too long")
    if place.environment.kind == "conda":
        packages = conda_packages(host, place.prefix, lambda name: concerns(name, clues))
        of_wheels = {item.name for item in found if item.installer in ("pip", "uv")}
        both = of_wheels.intersection(item.name for item in packages)
        replaced = replaced_by_pip(host, place.prefix, both) if both else frozenset()
        found = with_conda(found, packages, replaced)
    return replace(
        place.environment,
        examined=True,
        distributions=_unless_hidden(host, notes, folders, found),
        shared_files=_together(shared),
        remains=tuple(left),
        trims=_trims(host, place.prefix),
    )


def _trims(host: Host, folder: str) -> tuple[str, ...]:
    """Folders that the activation of the environment takes out of LD_LIBRARY_PATH."""
    text = host.read(f"{folder}/dlsetup/library-path.txt", TRIMS_LIMIT) or ""
    return tuple(line for line in text.splitlines() if line)


def _unless_hidden(
    host: Host, notes: Notes, folders: tuple[str, ...], found: list[Distribution]
) -> tuple[Distribution, ...] | Unknown:
    """What was found, unless there are folders that this user may not look into."""
    hidden = [folder for folder in folders if not host.can_list(folder)]
    for folder in hidden:
        reason = f"this user may not look into `{folder}`"
        notes.gap("environment.distributions", reason, f"ls -ld {shlex.quote(folder)}")
    return UNKNOWN if hidden else tuple(sorted(found, key=lambda item: item.name))


def _together(groups: list[tuple[SharedFiles, ...] | Unknown]) -> tuple[SharedFiles, ...] | Unknown:
    known = [group for group in groups if not isinstance(group, Unknown)]
    return tuple(item for group in known for item in group) if len(known) == len(groups) else UNKNOWN


def _usual(host: Host, found: tuple[Place, ...], notes: Notes) -> Place | None:
    """The active environment, that of the project, or what `python` starts."""
    for folder in active(host):
        place = environment_in(host, folder)
        if place is not None:
            return place
        notes.gap("environment", f"the active environment `{folder}` has no Python any more")
    for folder in project(host):
        place = environment_in(host, folder)
        if place is not None:
            return place
    path = first_on_path(host)
    return python_at(host, path, found) if path else None


def _asked(host: Host, found: tuple[Place, ...], asked: str) -> Place:
    """The environment at a path, or the one of that name."""
    place = _at(host, found, _absolute(host, asked))
    if place is not None:
        return place
    named = [item for item in found if asked in (item.environment.name, item.environment.path)]
    if len(named) == 1:
        return named[0]
    if named:
        paths = ", ".join(f"`{item.environment.path}`" for item in named)
        raise UsageError(f"several environments are called `{asked}`", hint=f"name one by its path: {paths}")
    if host.exists(f"{_absolute(host, asked)}/pyvenv.cfg"):
        hint = "this user cannot reach what its `bin/python` leads to: make the environment anew"
        raise UsageError(f"the environment `{asked}` has no Python any more", hint=hint)
    raise UsageError(f"there is no Python environment `{asked}`", hint=_known(found))


def _known(found: tuple[Place, ...]) -> str:
    if not found:
        return "no Python was found; name the folder of an environment"
    listed = [f"`{place.environment.path}`" for place in found[:HINT_LIMIT]]
    more = f" and {len(found) - HINT_LIMIT} more" if len(found) > HINT_LIMIT else ""
    return f"found: {', '.join(listed)}{more}"


def _absolute(host: Host, asked: str) -> str:
    asked = host.slashes(asked)
    if asked == "~" or asked.startswith("~/"):
        asked = host.home + asked[1:]
    if asked.startswith("/") or re.match(r"[A-Za-z]:[/\\]", asked):
        return asked.rstrip("/") or "/"
    parts: list[str] = []
    for part in f"{host.folder}/{asked}".split("/"):
        if part == "..":
            parts = parts[:-1] or [""]
        elif part != ".":
            parts.append(part)
    return re.sub("/+", "/", "/".join(parts)).rstrip("/") or "/"


def _at(host: Host, found: tuple[Place, ...], path: str) -> Place | None:
    """What a path is: an environment, a base Python by its folder, or an interpreter of either."""
    if host.is_file(path):
        return python_at(host, path, found)
    if not host.is_folder(path):
        return None
    inside = environment_in(host, path)
    if inside is not None:
        return inside
    names = ("python.exe",) if host.platform == "win32" else ("bin/python3", "bin/python")
    tried = (python_at(host, f"{path}/{name}", found) for name in names if host.is_file(f"{path}/{name}"))
    return next((place for place in tried if place is not None), None)
