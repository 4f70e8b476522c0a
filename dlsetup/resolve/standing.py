"""How one build stands on a target, by itself: every rule that concerns it, those about its release first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.model.framework import Build, Catalog
from dlsetup.model.hardware import Hardware
from dlsetup.model.machine import Gpu
from dlsetup.model.standing import Standing
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.verdict import Verdict
from dlsetup.model.versions import ComputeCapability
from dlsetup.model.wish import Wish
from dlsetup.resolve.companions import Companions
from dlsetup.resolve.pieces import python_name
from dlsetup.resolve.pythons import pythons_of
from dlsetup.resolve.refusals import against_python
from dlsetup.rules.combine import all_of, no, unknown, yes
from dlsetup.rules.driver import driver_serves
from dlsetup.rules.gpus import with_capabilities
from dlsetup.rules.kernels import (
    driver_drives_every_gpu,
    has_device,
    kernels_run_on,
    name_of,
    serves_every_gpu,
)
from dlsetup.rules.libraries import libraries_of, library_serves, lines_of
from dlsetup.rules.wheels import accepts_python, has_platform, has_wheel, platform_target, python_fits

ANY_PYTHON = Wish(wanted=(), python=SpecifierSet(">=3"))
LINES = (
    *(Interpreter(version=Version(text)) for text in ("2.7", *(f"3.{minor}" for minor in range(5, 16)))),
    *(Interpreter(version=Version(f"3.{minor}"), free_threaded=True) for minor in range(13, 16)),
)
"""Every Python that a build of the catalog may have wheels for."""


class Ground(NamedTuple):
    """What builds are held against."""

    target: Target
    interpreters: tuple[Interpreter, ...]
    """The Pythons that the target has or can get, oldest first."""
    companions: Companions
    catalog: Catalog


def standings(builds: Iterable[Build], target: Target, catalog: Catalog) -> Iterator[Standing]:
    """The standing of each build, in order. Whether builds go together is the resolver's question."""
    known = with_capabilities(target, catalog.hardware)
    found = pythons_of(ANY_PYTHON, known)
    admitted = (item for item in found if not any(against_python(item, ANY_PYTHON, known)))
    oldest_first = sorted(admitted, key=lambda item: (item.free_threaded, item.version))
    companions = Companions({item.name: item for item in catalog.frameworks}, known, catalog)
    ground = Ground(known, tuple(oldest_first), companions, catalog)
    return (_standing(build, ground) for build in builds)


def pythons_served(build: Build) -> tuple[str, ...]:
    """The Pythons that a build has wheels for on whichever platform: `3.12`, `3.13t`."""
    return tuple(python_name(item) for item in LINES if _installs(build, item))


def capabilities_served(build: Build, hardware: Hardware) -> tuple[ComputeCapability, ...]:
    """Of the compute capabilities that NVIDIA GPUs have, those for which a build holds machine code."""
    if build.accelerator != "cuda":
        return ()
    every = sorted({row.compute_capability for row in hardware.gpus})
    gpus = (Gpu(vendor="nvidia", compute_capability=item) for item in every)
    answers = (kernels_run_on(build, gpu, Target(), hardware) for gpu in gpus)
    return tuple(item for item, verdict in zip(every, answers, strict=True) if verdict.ok)


def brought_by(build: Build) -> tuple[str, ...]:
    """What comes along in one version only, `nvidia-cudnn-cu13 9.24.0.43`, on the platform it is made for."""
    platform = platform_target(build.wheels[0].platform)
    newest = next((item for item in reversed(LINES) if _installs(build, item)), LINES[0])
    asked = libraries_of(build, newest, platform)
    return tuple(f"{name} {version}" for name in asked for version in _pinned(asked[name]))


def brief(because: str, build: Build) -> str:
    """A reason without the name of the build, which stands beside it."""
    for name in (name_of(build), f"{build.framework} {build.version}"):
        because = because.removeprefix(f"{name} ").replace(name, "it")
    return because


def _standing(build: Build, ground: Ground) -> Standing:
    fitting = tuple(item for item in ground.interpreters if _installs(build, item))
    verdicts = tuple(_verdicts(build, fitting, ground))
    deciding = all_of(verdicts, rule="all")
    return Standing(
        build=build,
        answer=deciding.answer,
        rule="" if deciding.ok else deciding.rule,
        because="" if deciding.ok else brief(deciding.because, build),
        pythons=tuple(map(python_name, fitting)),
        verdicts=verdicts,
    )


def _verdicts(build: Build, fitting: tuple[Interpreter, ...], ground: Ground) -> Iterator[Verdict]:
    target, hardware = ground.target, ground.catalog.hardware
    if build.yanked:
        yield no("release", f"{build.framework} {build.version} was withdrawn by its authors", *build.sources)
    yield has_platform(build, target)
    yield _has_python(build, fitting, ground)
    # On macOS the build for MPS is the one for the CPU too.
    if build.accelerator not in ("cpu", "mps"):
        yield has_device(build.accelerator, target)
    if build.cuda is not None:
        yield driver_serves(target, build.cuda, hardware)
        yield driver_drives_every_gpu(target, hardware)
    if build.accelerator not in ("cpu", "mps"):
        yield serves_every_gpu(build, target, hardware)
    yield from _by_requirements(build, fitting, ground)
    if build.expects:
        wanted = ", ".join(build.expects)
        text = f"{name_of(build)} needs {wanted} on the machine, and nothing tells whether that is there"
        yield unknown("expected", text, *build.sources)


def _installs(build: Build, interpreter: Interpreter) -> bool:
    return accepts_python(build, interpreter).ok and any(
        python_fits(item, interpreter) for item in build.wheels
    )


def _has_python(build: Build, fitting: tuple[Interpreter, ...], ground: Ground) -> Verdict:
    """Whether any of the target's Pythons will do; where there is but one, what speaks against it."""
    name = name_of(build)
    if fitting:
        listed = ", ".join(map(python_name, fitting))
        return yes("python", f"{name} can be installed on Python {listed}", *build.sources)
    if len(ground.interpreters) == 1:
        only = ground.interpreters[0]
        verdicts = (has_wheel(build, only, Target()), accepts_python(build, only))
        return replace(all_of(verdicts, rule="python"), rule="python")
    served = ", ".join(pythons_served(build)) or "none that is known"
    there = ", ".join(map(python_name, ground.interpreters)) or "none"
    text = f"{name} is for Python {served}, and {ground.target.name} can have {there}"
    return no("python", text, *build.sources)


def _by_requirements(build: Build, fitting: tuple[Interpreter, ...], ground: Ground) -> Iterator[Verdict]:
    """Whether what it asks for exists, on one of the Pythons, and serves the GPUs."""
    companions, hardware = ground.companions, ground.catalog.hardware
    against = {item: tuple(companions.against(build, item)) for item in reversed(fitting)}
    interpreter = next((item for item, refusals in against.items() if not refusals), None)
    if interpreter is None:
        newest = next(iter(against.values()), ())
        yield from (no("pins", item.because, *item.sources) for item in newest)
        return
    for name, specifier in companions.specifiers(build, interpreter).items():
        if build.cuda is not None and lines_of(name, hardware):
            versions = specifier.filter(companions.versions(name), prereleases=True)
            verdicts = [library_serves(name, item, ground.target, hardware) for item in versions]
            yield from [next((item for item in verdicts if item.ok), verdicts[0])] if verdicts else []


def _pinned(specifier: SpecifierSet) -> tuple[Version, ...]:
    exact = (item.version for item in specifier if item.operator == "==" and "*" not in item.version)
    return tuple(map(Version, exact))
