"""Does a lock serve a target? The rules by which it was chosen, asked again of what it holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from packaging.markers import Marker
from packaging.version import Version

from dlsetup.model.finding import Diagnosis, Finding
from dlsetup.model.framework import Build, Catalog
from dlsetup.model.locked import Locked, LockedPackage
from dlsetup.model.machine import Distribution, Environment, Gap
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.verdict import Verdict
from dlsetup.rules.driver import driver_serves
from dlsetup.rules.gpus import with_capabilities
from dlsetup.rules.installed import build_of, framework_of
from dlsetup.rules.kernels import driver_drives_every_gpu, has_device, name_of, serves_every_gpu
from dlsetup.rules.libraries import libraries_of, library_serves, lines_of, marker_environment
from dlsetup.rules.wheels import platform_fits, platform_of, python_fits, wheels_of

Answer = Finding | Gap


class Ground(NamedTuple):
    """What a lock holds for a target."""

    target: Target
    catalog: Catalog
    python: Interpreter
    packages: tuple[LockedPackage, ...]
    builds: tuple[Build, ...]


def judge_lock(locked: Locked, target: Target, catalog: Catalog) -> Diagnosis:
    """What speaks against a lock on a target. Whatever is not known refuses nothing and is named."""
    known = with_capabilities(target, catalog.hardware)
    python, against = _python(locked, known)
    if python is None:
        return Diagnosis(findings=tuple(against))
    packages, unsure = _applying(locked, python, known)
    builds, untold = _builds(packages, python, catalog)
    ground = Ground(known, catalog, python, packages, builds)
    answers: list[Answer] = [*against, *unsure, *_wheels(ground), *untold]
    for build in builds:
        answers += _build(build, ground)
    answers += [*_driving(ground), *_libraries(ground), *_overlaps(ground), *_pins(ground)]
    findings = tuple(item for item in dict.fromkeys(answers) if isinstance(item, Finding))
    return Diagnosis(
        findings=tuple(sorted(findings, key=lambda item: item.severity != "error")),
        unknown=tuple(item for item in dict.fromkeys(answers) if isinstance(item, Gap)),
    )


def _python(locked: Locked, target: Target) -> tuple[Interpreter | None, list[Finding]]:
    """The Python of the target that the lock is for."""
    wanted = None if isinstance(locked.note, Unknown) else locked.note.python
    offered = _offered(target, wanted)
    for item in offered:
        full = item.version if len(item.version.release) > 2 else Version(f"{item.version}.99")
        minor = Version(f"{item.version.major}.{item.version.minor}")
        if locked.requires_python.contains(full, prereleases=True) and wanted in (None, minor):
            return item, []
    there = ", ".join(dict.fromkeys(f"{item.version.major}.{item.version.minor}" for item in offered))
    asked = f"Python {wanted}" if wanted else f"Python {locked.requires_python}"
    because = f"It is for {asked}, and {target.name} can have {there or 'none'}."
    return None, [_error("lock-python", "The lock is for another Python", because)]


def _offered(target: Target, wanted: Version | None) -> list[Interpreter]:
    if not isinstance(target.pythons, Unknown):
        usual = [item for item in target.pythons if not item.free_threaded]
        return sorted(usual, key=lambda item: item.version, reverse=True)
    versions = [wanted] if wanted else [Version(f"3.{minor}") for minor in range(14, 7, -1)]
    return [Interpreter(version=version) for version in versions]


def _applying(
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


def _wheels(ground: Ground) -> Iterator[Answer]:
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
        because = f"The lock has no wheel for {where} of {_some(refused)}."
        yield _error("lock-without-wheel", f"{_some(refused)} cannot be installed", because)
    if compiled:
        because = f"The lock has no wheel for {where}, only sources."
        title = f"{_some(compiled)} would be compiled on {ground.target.name}"
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


def _builds(
    packages: Iterable[LockedPackage], python: Interpreter, catalog: Catalog
) -> tuple[tuple[Build, ...], list[Gap]]:
    """The builds of the catalog that are in the lock."""
    found = [_distribution(item) for item in packages]
    environment = Environment(
        path="", kind="venv", python=python.version, examined=True, distributions=tuple(found)
    )
    builds: dict[str, Build] = {}
    gaps: list[Gap] = []
    for distribution in found:
        framework = framework_of(distribution.name, catalog)
        if framework is None:
            continue
        build = build_of(distribution, environment, catalog)
        title = f"{distribution.name} {distribution.version}"
        if isinstance(build, Build):
            builds.setdefault(framework.name, build)
        elif build is None:
            gaps.append(Gap(fact=f"what {title} asks of the machine", reason="the catalog has no such build"))
        else:
            gaps.append(Gap(fact=f"which build {title} is", reason="several of the catalog fit"))
    return tuple(builds.values()), gaps


def _distribution(package: LockedPackage) -> Distribution:
    local = package.version.local
    return Distribution(name=package.name, version=package.version, variant=local or UNKNOWN)


def _build(build: Build, ground: Ground) -> Iterator[Answer]:
    """One framework held against driver, GPUs and device."""
    target, hardware = ground.target, ground.catalog.hardware
    if build.yanked:
        because = f"{build.framework} {build.version} was withdrawn by its authors."
        yield Finding(
            id="lock-yanked", severity="warning", title=f"{name_of(build)} is withdrawn", because=because
        )
    device = has_device(build.accelerator, target)
    if build.accelerator != "mps" and device.refused:
        title = f"{name_of(build)} has no device here"
        because = f"{device.because[:1].upper()}{device.because[1:]}: it runs on the CPU there, if at all."
        yield Finding(id="lock-without-device", severity="warning", title=title, because=because)
        return
    if build.cuda is not None:
        verdict = driver_serves(target, build.cuda, hardware)
        yield from _said("lock-driver", f"The driver is too old for {name_of(build)}", verdict)
    if build.accelerator not in ("cpu", "mps"):
        verdict = serves_every_gpu(build, target, hardware)
        yield from _said("lock-gpu", f"{name_of(build)} does not serve every GPU", verdict)


def _driving(ground: Ground) -> Iterator[Answer]:
    if any(build.cuda for build in ground.builds):
        verdict = driver_drives_every_gpu(ground.target, ground.catalog.hardware)
        yield from _said("lock-driver", "The driver does not support every GPU", verdict)


def _libraries(ground: Ground) -> Iterator[Answer]:
    """CUDA libraries that a GPU is too old for."""
    for package in ground.packages:
        if lines_of(package.name, ground.catalog.hardware):
            verdict = library_serves(package.name, package.version, ground.target, ground.catalog.hardware)
            title = f"{package.name} {package.version} does not serve every GPU"
            yield from _said("lock-library", title, verdict)


def _overlaps(ground: Ground) -> Iterator[Finding]:
    """Packages that write the same files."""
    versions = {item.name: item.version for item in ground.packages}
    for row in ground.catalog.hardware.overlaps:
        both = [name for name in row.distributions if name in versions and row.writes(name, versions[name])]
        if len(both) > 1:
            because = f"{_some(both)} both write {row.path}: the last one installed wins."
            yield _error("lock-overlap", f"{_some(both)} overwrite each other", because, row.source)
    for framework in ground.catalog.frameworks:
        for group in framework.twins:
            both = [name for name in group if name in versions]
            if len(both) > 1:
                because = f"{_some(both)} own the same import package: the last one installed wins."
                yield _error("lock-overlap", f"{_some(both)} overwrite each other", because)


def _pins(ground: Ground) -> Iterator[Finding]:
    """What a framework asks of a package that the lock has in another version."""
    versions = {item.name: item.version for item in ground.packages}
    for build in ground.builds:
        for name, specifier in libraries_of(build, ground.python, ground.target).items():
            version = versions.get(name)
            if version is not None and not specifier.contains(version, prereleases=True):
                because = f"{name_of(build)} asks for {name}{specifier}, and the lock has {version}."
                title = f"{name} {version} does not go with {name_of(build)}"
                yield _error("lock-pin", title, because, *build.sources)


def _said(name: str, title: str, verdict: Verdict) -> Iterator[Answer]:
    if verdict.refused:
        because = f"{verdict.because[:1].upper()}{verdict.because[1:]}."
        yield _error(name, title, because, *verdict.sources)
    elif not verdict.ok:
        yield Gap(fact=f"whether this holds: {title}", reason=verdict.because)


def _error(name: str, title: str, because: str, *sources: str) -> Finding:
    return Finding(id=name, severity="error", title=title, because=because, rests_on=sources)


def _some(names: list[str]) -> str:
    shown = names[:4]
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    return f"{', '.join(shown)}{more}"
