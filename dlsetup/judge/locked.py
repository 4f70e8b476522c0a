"""Does a lock serve a target? The rules by which it was chosen, asked again of what it holds."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.locked_files import (
    Answer,
    Ground,
    applying_of,
    error,
    platform_against,
    python_of,
    said,
    some,
    wheels_against,
    without_device,
)
from dlsetup.model.finding import Diagnosis, Finding
from dlsetup.model.framework import Build, Catalog, Framework
from dlsetup.model.locked import Locked, LockedPackage
from dlsetup.model.machine import Distribution, Environment, Gap
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.target import Interpreter, Target
from dlsetup.rules.driver import driver_serves
from dlsetup.rules.gpus import with_capabilities
from dlsetup.rules.installed import asked_for, build_of, framework_of
from dlsetup.rules.kernels import driver_drives_every_gpu, has_device, name_of, serves_every_gpu
from dlsetup.rules.libraries import libraries_of, library_serves, lines_of
from dlsetup.rules.wheels import has_wheel


def judge_lock(locked: Locked, target: Target, catalog: Catalog) -> Diagnosis:
    """What speaks against a lock on a target. Whatever is not known refuses nothing and is named."""
    known = with_capabilities(target, catalog.hardware)
    python, against = python_of(locked, known)
    if python is None:
        return Diagnosis(findings=against)
    packages, unsure = applying_of(locked, python, known)
    ground = Ground(known, catalog, python, packages)
    builds, untold = _builds(ground)
    ground = ground._replace(builds=builds)
    answers: list[Answer] = [*platform_against(locked, known), *unsure, *wheels_against(ground), *untold]
    for build in builds:
        answers += _build(build, ground)
    answers += [*_driving(ground), *_libraries(ground), *_overlaps(ground), *_pins(ground)]
    findings = tuple(item for item in dict.fromkeys(answers) if isinstance(item, Finding))
    return Diagnosis(
        findings=tuple(sorted(findings, key=lambda item: item.severity != "error")),
        unknown=tuple(item for item in dict.fromkeys(answers) if isinstance(item, Gap)),
    )


def builds_in(
    locked: Locked, target: Target, catalog: Catalog
) -> tuple[Interpreter, tuple[Build, ...]] | None:
    """The Python of the target that a lock is for, and the builds in it; None: it can have no such Python."""
    python, _ = python_of(locked, target)
    if python is None:
        return None
    packages, _ = applying_of(locked, python, target)
    return python, _builds(Ground(target, catalog, python, packages))[0]


def _builds(ground: Ground) -> tuple[tuple[Build, ...], list[Gap]]:
    """The builds of the catalog that are in the lock."""
    found = tuple(map(_distribution, ground.packages))
    environment = Environment(
        path="", kind="venv", python=ground.python.version, examined=True, distributions=found
    )
    builds: dict[str, Build] = {}
    gaps: list[Gap] = []
    for distribution in found:
        framework = framework_of(distribution.name, ground.catalog)
        if framework is None:
            continue
        build = _of_target(distribution, environment, framework, ground)
        title = f"{distribution.name} {distribution.version}"
        if isinstance(build, Build):
            builds.setdefault(framework.name, build)
        elif build is None:
            gaps.append(Gap(fact=f"what {title} asks of the machine", reason="the catalog has no such build"))
        else:
            gaps.append(Gap(fact=f"which build {title} is", reason="several of the catalog fit"))
    return tuple(builds.values()), gaps


def _of_target(
    distribution: Distribution, environment: Environment, framework: Framework, ground: Ground
) -> Build | None | Unknown:
    """The build as it is made for the target: one name stands for other files on other systems."""
    found = build_of(distribution, environment, ground.catalog)
    if found is None:
        return None
    release = (item for item in framework.of(distribution.version) if distribution.name in asked_for(item))
    here = [item for item in release if not has_wheel(item, ground.python, ground.target).refused]
    if isinstance(found, Build):
        same = (item for item in here if (item.variant, item.index) == (found.variant, found.index))
        return next(same, found)
    usual = [item for item in here if (item.index == "default") == (distribution.version.local is None)]
    return usual[0] if len({item.variant for item in usual}) == 1 else UNKNOWN


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
    if build.accelerator == "cpu" and (idle := _idle(build, ground)):
        because = f"{target.name} has the device, and the catalog has a build for it: {idle}."
        title = f"{name_of(build)} leaves the GPU idle"
        yield Finding(id="lock-gpu-idle", severity="warning", title=title, because=because)
    device = has_device(build.accelerator, target)
    if build.accelerator != "mps" and device.refused:
        yield without_device(name_of(build), device)
        return
    if build.cuda is not None:
        verdict = driver_serves(target, build.cuda, hardware)
        yield from said("lock-driver", f"The driver is too old for {name_of(build)}", verdict)
    if build.accelerator not in ("cpu", "mps"):
        verdict = serves_every_gpu(build, target, hardware)
        yield from said("lock-gpu", f"{name_of(build)} does not serve every GPU", verdict)


def _idle(build: Build, ground: Ground) -> str:
    """A build of the same release for a device that the target has."""
    framework = ground.catalog.framework(build.framework)
    others = () if framework is None else framework.of(build.version)
    used = (
        item
        for item in others
        if item.accelerator != "cpu" and has_device(item.accelerator, ground.target).ok
    )
    found = next((item for item in used if has_wheel(item, ground.python, ground.target).ok), None)
    return name_of(found) if found else ""


def _driving(ground: Ground) -> Iterator[Answer]:
    if any(build.cuda for build in ground.builds):
        verdict = driver_drives_every_gpu(ground.target, ground.catalog.hardware)
        yield from said("lock-driver", "The driver does not support every GPU", verdict)


def _libraries(ground: Ground) -> Iterator[Answer]:
    """CUDA libraries that a GPU is too old for."""
    for package in ground.packages:
        if lines_of(package.name, ground.catalog.hardware):
            verdict = library_serves(package.name, package.version, ground.target, ground.catalog.hardware)
            title = f"{package.name} {package.version} does not serve every GPU"
            yield from said("lock-library", title, verdict)


def _overlaps(ground: Ground) -> Iterator[Finding]:
    """Packages that write the same files."""
    versions = {item.name: item.version for item in ground.packages}
    for row in ground.catalog.hardware.overlaps:
        both = [name for name in row.distributions if name in versions and row.writes(name, versions[name])]
        if len(both) > 1:
            because = f"{some(both)} both write {row.path}: the last one installed wins."
            yield error("lock-overlap", f"{some(both)} overwrite each other", because, row.source)
    for framework in ground.catalog.frameworks:
        for group in framework.twins:
            both = [name for name in group if name in versions]
            if len(both) > 1:
                because = f"{some(both)} own the same import package: the last one installed wins."
                yield error("lock-overlap", f"{some(both)} overwrite each other", because)


def _pins(ground: Ground) -> Iterator[Finding]:
    """What a framework asks of a package that the lock has in another version."""
    versions = {item.name: item.version for item in ground.packages}
    for build in ground.builds:
        for name, specifier in libraries_of(build, ground.python, ground.target).items():
            version = versions.get(name)
            if version is None:
                because = f"{name_of(build)} asks for {name}{specifier}, and the lock has none."
                title = f"The lock has no {name}"
                yield Finding(id="lock-misses", severity="warning", title=title, because=because)
            elif not specifier.contains(version, prereleases=True):
                because = f"{name_of(build)} asks for {name}{specifier}, and the lock has {version}."
                title = f"{name} {version} does not go with {name_of(build)}"
                yield error("lock-pin", title, because, *build.sources)
