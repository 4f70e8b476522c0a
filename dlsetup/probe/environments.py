"""Environments and interpreters: all are listed, one is examined."""

from __future__ import annotations

import re

from msgspec.structs import replace

from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Clue
from dlsetup.model.machine import Distribution, Environment, SharedFiles
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.probe.conda import conda_packages
from dlsetup.probe.distributions import Site, concerns, with_conda
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes
from dlsetup.probe.python_places import active, first_on_path, places, project
from dlsetup.probe.pythons import Place, environment_in, python_at
from dlsetup.probe.shared_files import shared_files
from dlsetup.probe.sites import sites

HINT_LIMIT = 12


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
    shared: list[SharedFiles] | Unknown = []
    for folder in sites(host, place):
        pairs = Site(host, folder).distributions(clues)
        found.extend(item for item, _ in pairs)
        owners = [(item.name, entry) for item, entry in pairs if concerns(item.name, clues)]
        quarrels = shared_files(host, folder, owners)
        if isinstance(quarrels, Unknown):
            notes.gap("environment.shared_files", f"the records in `{folder}` are too long")
            shared = UNKNOWN
        elif not isinstance(shared, Unknown):
            shared.extend(quarrels)
    if place.environment.kind == "conda":
        packages = conda_packages(host, place.prefix, lambda name: concerns(name, clues))
        found = with_conda(found, packages)
    return replace(
        place.environment,
        examined=True,
        distributions=tuple(sorted(found, key=lambda item: item.name)),
        shared_files=shared if isinstance(shared, Unknown) else tuple(shared),
    )


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
