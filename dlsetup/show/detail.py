"""All that is known of a machine beyond the few lines: shown on request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from dlsetup.model.machine import Environment, Library, Machine
from dlsetup.model.record import Unknown
from dlsetup.show.lines import Line
from dlsetup.show.words import counted, said, size

T = TypeVar("T")


def detail_lines(machine: Machine) -> Iterator[Line]:
    """Environments, tools, libraries, packages, variables and every source's word."""
    system = machine.system
    if not isinstance(system.shm_bytes, Unknown) and system.shm_bytes is not None:
        yield from _part("shared memory", [size(system.shm_bytes)])
    yield from _part("environments", _each(machine.environments, _environment))
    yield from _part("libraries", _each(machine.libraries, _library))
    yield from _part("tools", _each(machine.tools, lambda it: f"{it.name} {said(it.version)} at {it.path}"))
    yield from _part("packages", _each(machine.packages, lambda it: f"{it.name} {it.version} ({it.state})"))
    yield from _part("variables", _each(machine.variables, lambda it: f"{it.name}={it.value}"))
    yield from _part("seen", [f"{it.fact}: {it.value} (from {it.source})" for it in machine.sightings])


def _each(items: tuple[T, ...] | Unknown, words: Callable[[T], str]) -> list[str]:
    return ["unknown"] if isinstance(items, Unknown) else [words(item) for item in items]


def _part(title: str, rows: Iterable[str]) -> Iterator[Line]:
    rows = list(rows)
    if rows:
        yield Line(text=title, indent=2, style="faint")
        for row in rows:
            yield Line(text=row, indent=4)


def _environment(item: Environment) -> str:
    held = (
        "contents not read"
        if isinstance(item.distributions, Unknown)
        else counted(len(item.distributions), "distribution")
    )
    mark = " (examined)" if item.examined else ""
    return f"{item.path}: {item.kind}, Python {said(item.python)}, {held}{mark}"


def _library(item: Library) -> str:
    owner = f"{item.owner.kind} {item.owner.name}".strip()
    return f"{item.library} {said(item.version)}: {item.path} ({owner})"
