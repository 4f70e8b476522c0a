"""The files of a lock on a target: its Python, its platform, its wheels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace
from packaging.markers import Marker
from packaging.version import Version

from dlsetup.judge.sentences import capitalised
from dlsetup.model.finding import Finding
from dlsetup.model.framework import Build, Catalog
from dlsetup.model.locked import Locked, LockedPackage
from dlsetup.model.machine import Gap
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.verdict import Verdict
from dlsetup.rules.libraries import marker_environment
from dlsetup.rules.wheels import platform_fits, platform_of, python_fits, wheels_of

Answer = Finding | Gap


class Ground(NamedTuple):
    """What a lock holds for a target."""

    target: Target
    catalog: Catalog
    python: Interpreter
    packages: tuple[LockedPackage, ...]
    builds: tuple[Build, ...] = ()


def python_of(locked: Locked, target: Target) -> tuple[Interpreter | None, tuple[Finding, ...]]:
    """The Python of the target that the lock is for."""
    wanted = None if isinstance(locked.note, Unknown) else locked.note.python
    offered = _offered(target, wanted)
    for item in offered:
        full = item.version if len(item.version.release) > 2 else Version(f"{item.version}.99")
        minor = Version(f"{item.version.major}.{item.version.minor}")
        if locked.requires_python.contains(full, prereleases=True) and wanted in (None, minor):
            return item, ()
    there = ", ".join(dict.fromkeys(f"{item.version.major}.{item.version.minor}" for item in offered))
    asked = f"Python {wanted}" if wanted else f"Python {locked.requires_python}"
    because = f"It is for {asked}, and {target.name} can have {there or 'none'}."
    return None, (error("lock-python", "The lock is for another Python", because),)


def platform_against(locked: Locked, target: Target) -> Iterator[Finding]:
    """A platform that the lock was not made for: what only this one needs is not in it."""
    if isinstance(locked.note, Unknown) or not locked.note.platforms:
        return
    environment = marker_environment(Interpreter(version=locked.note.python), target)
    if environment is None or any(Marker(text).evaluate(environment) for text in locked.note.platforms):
        return
    names = some([item.name for item in locked.note.targets])
    here = platform_of(replace(target, libc=UNKNOWN, release=UNKNOWN))
    because = f"It was made for {names}, and what {here} needs besides is not in it."
    yield error("lock-platform", "The lock is for another platform", because)


def _offered(target: Target, wanted: Version | None) -> list[Interpreter]:
    if not isinstance(target.pythons, Unknown):
        usual = [item for item in target.pythons if not item.free_threaded]
        return sorted(usual, key=lambda item: item.version, reverse=True)
    versions = [wanted] if wanted else [Version(f"3.{minor}") for minor in range(14, 7, -1)]
    return [Interpreter(version=version) for version in versions]


def applying_of(
    locked: Locked, python: Interpreter, target: Target
) -> tuple[tuple[LockedPackage, ...], list[Gap]]:
    """The packages that are installed on the target."""
    environment = marker_environment(python, target)
    if environment is None:
        told = tuple(item for item in locked.packages if not item.marker)
        reason = f"nothing tells the system and the processor of {target.name}"
        gaps = (
            [] if len(told) == len(locked.packages) else [Gap(fact="what the lock installs", reason=reason)]
        )
        return told, gaps
    whole = (item for item in locked.packages if not item.marker or Marker(item.marker).evaluate(environment))
    return tuple(whole), []


def wheels_against(ground: Ground) -> Iterator[Answer]:
    """Packages of which no file installs."""
    refused: list[str] = []
    compiled: list[str] = []
    for package in ground.packages:
        answer = _has_wheel(package, ground)
        title = f"{package.name} {package.version}"
        if answer == "no":
            (compiled if package.source else refused).append(title)
        elif answer == "unknown":
            yield Gap(fact=f"whether a wheel of {title} fits", reason=_missing(package, ground.target))
    where = f"Python {ground.python.version} on {platform_of(ground.target)}"
    if refused:
        because = f"The lock has no wheel for {where} of {some(refused)}."
        yield error("lock-without-wheel", f"{some(refused)} cannot be installed", because)
    if compiled:
        because = f"The lock has no wheel for {where}, only sources."
        title = f"{some(compiled)} would be compiled on {ground.target.name}"
        yield Finding(id="lock-compiles", severity="warning", title=title, because=because)


def _has_wheel(package: LockedPackage, ground: Ground) -> str:
    if isinstance(package.wheels, Unknown):
        return "unknown"
    tags = [tag for name in package.wheels for tag in wheels_of(name) if python_fits(tag, ground.python)]
    answers = {platform_fits(tag.platform, ground.target).answer for tag in tags}
    return next((answer for answer in ("yes", "unknown") if answer in answers), "no")


def _missing(package: LockedPackage, target: Target) -> str:
    if isinstance(package.wheels, Unknown):
        return "the lock names no files of it"
    return f"nothing tells enough of the system of {target.name}"


def error(name: str, title: str, because: str, *sources: str) -> Finding:
    """A finding because of which the lock does not serve."""
    return Finding(id=name, severity="error", title=title, because=because, rests_on=sources)


def said(name: str, title: str, verdict: Verdict) -> Iterator[Answer]:
    """What a rule says against the lock, or that it cannot tell; nothing where it holds."""
    if verdict.refused:
        yield error(name, title, f"{capitalised(verdict.because)}.", *verdict.sources)
    elif not verdict.ok:
        yield Gap(fact=f"whether this holds: {title}", reason=verdict.because)


def without_device(title: str, device: Verdict) -> Finding:
    """A build for a device that the target does not have."""
    return Finding(
        id="lock-without-device",
        severity="warning",
        title=f"{title} has no device here",
        because=f"{capitalised(device.because)}: it runs on the CPU there, if at all.",
    )


def some(names: list[str]) -> str:
    """The first few names, and how many more there are."""
    shown = names[:4]
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    return f"{', '.join(shown)}{more}"
