"""Makes a machine of facts: of two values the one that is trusted more, of listings the fullest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from msgspec.structs import fields, replace

from dlsetup.intake.amount import Amount
from dlsetup.intake.distributions import copies
from dlsetup.intake.fact import Fact, Weight
from dlsetup.intake.gpus import gpus_of
from dlsetup.model.machine import (
    Cpu,
    Docker,
    Driver,
    Environment,
    Gap,
    Libc,
    Machine,
    Sighting,
    System,
    Wsl,
)
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.report import Report

R = TypeVar("R", bound=Record)
_MANY = {
    "message": ("messages", "messages of programs"),
    "observation": ("observations", "answers of programs"),
    "command": ("commands", "commands"),
    "asked": ("asked", "packages that are asked for"),
    "container": ("containers", "containers"),
    "stage": ("stages", "stages of images"),
}
"""By the kind of their facts: the parts of a report, and what they are in words."""


def machine_of(facts: Sequence[Fact], gaps: Iterable[Gap] = (), *, lines: int) -> Machine:
    """The machine that a report tells of. What the report does not say stays unknown."""
    by_kind: dict[str, list[Fact]] = {}
    for fact in facts:
        by_kind.setdefault(fact.about, []).append(fact)
    best = {about: _best(found) for about, found in by_kind.items() if "." in about}
    amount = Amount()
    machine = Machine(
        system=_system(best),
        driver=_driver(best, by_kind),
        gpus=gpus_of(by_kind),
        toolkits=amount.known("CUDA toolkits", _whole(by_kind, "toolkit")),
        libraries=amount.known("libraries", _libraries(by_kind.get("library", ()))),
        environments=_environments(best, by_kind, amount),
        tools=amount.known("tools", _whole(by_kind, "tool")),
        docker=_optional(Docker, "docker", best, by_kind),
        packages=amount.known("packages of the system", _whole(by_kind, "package")),
        variables=_variables(by_kind.get("variable", ())),
        report=_report(by_kind, lines, amount),
        sightings=tuple(_sightings(by_kind, amount)),
    )
    return replace(machine, gaps=tuple(dict.fromkeys((*gaps, *amount.gaps))))


def _best(facts: Iterable[Fact]) -> Fact:
    """What is trusted most, and of equals what stands first."""
    return max(facts, key=lambda fact: fact.weight)


def _part(kind: type[R], holder: str, best: Mapping[str, Fact]) -> R:
    """A record out of the facts `holder.field`."""
    known = {name: best[f"{holder}.{name}"].value for name in _names(kind) if f"{holder}.{name}" in best}
    return kind(**known)


def _names(kind: type[Record]) -> list[str]:
    return [field.name for field in fields(kind)]


def _optional(
    kind: type[R], holder: str, best: Mapping[str, Fact], by_kind: Mapping[str, Sequence[Fact]]
) -> R | None | Unknown:
    """The part; None where it is said that there is none (a fact about the holder itself); else unknown."""
    if any(about.startswith(f"{holder}.") for about in best):
        return _part(kind, holder, best)
    return None if any(fact.value is None for fact in by_kind.get(holder, ())) else UNKNOWN


def _system(best: Mapping[str, Fact]) -> System:
    system = _part(System, "system", best)
    if "libc.version" in best:
        system = replace(system, libc=Libc(name="glibc", version=best["libc.version"].value))
    if "cpu.model" in best:
        system = replace(system, cpu=_part(Cpu, "cpu", best))
    if any(about.startswith("wsl.") for about in best):
        system = replace(system, wsl=_part(Wsl, "wsl", best))
    return system


def _driver(best: Mapping[str, Fact], by_kind: Mapping[str, Sequence[Fact]]) -> Driver | None | Unknown:
    driver = _optional(Driver, "driver", best, by_kind)
    if not isinstance(driver, Driver):
        return driver
    places = [fact.source for about, fact in best.items() if about.startswith("driver.")]
    return replace(driver, found_via=places[0])


def _environments(
    best: Mapping[str, Fact], by_kind: Mapping[str, Sequence[Fact]], amount: Amount
) -> tuple[Environment, ...] | Unknown:
    """The one environment that a report is about."""
    listed = by_kind.get("distribution", ())
    if not listed and not any(about.startswith("environment.") for about in best):
        return UNKNOWN
    known = {
        name: best[f"environment.{name}"].value
        for name in _names(Environment)
        if f"environment.{name}" in best
    }
    base: dict[str, Any] = {"path": "", "kind": "other", "complete": False}
    found = copies(listed, by_kind.get("observation", ()))
    distributions = amount.known("installed distributions", found)
    return (Environment(**{**base, **known, "examined": True, "distributions": distributions}),)


def _whole(by_kind: Mapping[str, Sequence[Fact]], about: str) -> tuple[Any, ...] | Unknown:
    """Every record of a kind, once; unknown where none is told of."""
    found = by_kind.get(about, ())
    return tuple(dict.fromkeys(fact.value for fact in found)) if found else UNKNOWN


def _libraries(facts: Sequence[Fact]) -> tuple[Any, ...] | Unknown:
    """Every copy once; of several words on one path those that name the owner of the file."""
    found = dict.fromkeys(fact.value for fact in facts)
    named = {item.path for item in found if item.owner.name or item.owner.kind == "nobody"}
    kept = (
        item
        for item in found
        if not item.path or item.path not in named or item.owner.name or item.owner.kind == "nobody"
    )
    return tuple(kept) if found else UNKNOWN


def _variables(facts: Sequence[Fact]) -> tuple[Any, ...] | Unknown:
    """The last value of each variable; what a shell shows counts for more than what a file would set."""
    last = {fact.value.name: fact.value for fact in sorted(facts, key=lambda fact: fact.weight)}
    return tuple(last.values()) if last else UNKNOWN


def _report(by_kind: Mapping[str, Sequence[Fact]], lines: int, amount: Amount) -> Report:
    many = {field: amount.of(what, _values(by_kind.get(about, ()))) for about, (field, what) in _MANY.items()}
    return Report(lines=lines, **many)


def _values(facts: Iterable[Fact]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(fact.value for fact in facts))


def _sightings(by_kind: Mapping[str, Sequence[Fact]], amount: Amount) -> Iterator[Sighting]:
    """Every place that tells of a part of a record, so that a finding can point to it."""
    for about, facts in by_kind.items():
        if "." in about or " " in about:
            told = sorted(facts, key=lambda item: -item.weight)
            places = (Sighting(fact=about, value=str(fact.value), source=_told_by(fact)) for fact in told)
            yield from amount.seen(about, list(dict.fromkeys(places)))


def _told_by(fact: Fact) -> str:
    if fact.weight == Weight.INFERRED:
        return f"{fact.source}, inferred: {fact.rule}"
    return f"{fact.source}, {fact.rule}" if fact.rule else fact.source
