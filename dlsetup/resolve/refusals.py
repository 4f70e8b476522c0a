"""What speaks against a build or a Python, each with the clauses it rests on."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.model.framework import Build
from dlsetup.model.hardware import Hardware
from dlsetup.model.machine import Gpu
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.wish import WITHOUT_CUDA, Wanted, Wish
from dlsetup.resolve.devices import Devices
from dlsetup.resolve.pieces import Refusal
from dlsetup.rules.driver import driver_drives, driver_serves
from dlsetup.rules.gpus import title_of
from dlsetup.rules.kernels import VENDOR_OF, kernels_run_on, name_of
from dlsetup.rules.libraries import library_serves
from dlsetup.rules.wheels import accepts_python, has_platform, has_wheel

GPU_RULE = "rule gpu"
WHEEL_RULE = "rule wheel"
DRIVER_RULE = "rule driver"
KERNELS_RULE = "rule kernels"
RELEASE_RULE = "rule release"
LIBRARY_RULE = "rule library"


def by_hardware(build: Build, target: Target, hardware: Hardware) -> Iterator[Refusal]:
    """A driver too old for the build, or a GPU that it holds no code for."""
    if build.accelerator == "cuda":
        yield from _by_driver(build, target, hardware)
    if build.accelerator in VENDOR_OF:
        yield from _by_gpus(build, target, hardware)


def by_device(build: Build, devices: Devices, *, only_cpu: bool) -> Iterator[Refusal]:
    """A CPU build where a GPU is to be used, or a build for a device that is not there."""
    if devices.admits(build, only_cpu=only_cpu):
        return
    if build.accelerator == "cpu":
        text = f"{name_of(build)} would leave the GPU idle"
    else:
        text = f"{name_of(build)} is not for {devices.accelerator}"
    yield _refusal(text, devices.clause, GPU_RULE)


def against_python(interpreter: Interpreter, wish: Wish, target: Target) -> Iterator[Refusal]:
    """A Python that is not asked for, or that the target does not have."""
    minor = _minor(interpreter)
    version = interpreter.version if len(interpreter.version.release) > 2 else Version(f"{minor}.99")
    if not _python_admitted(wish.python, version, minor):
        yield _refusal(f"Python {minor} is not asked for", "wish python")
    if isinstance(target.pythons, Unknown):
        return
    if not any(_same_python(item, interpreter) for item in target.pythons):
        yield _refusal(f"{target.name} has no Python {minor}", "fact pythons")


def against_wheels(build: Build, interpreter: Interpreter, target: Target) -> Iterator[Refusal]:
    """A release that does not admit this Python, or has no wheel for it.

    A build without any wheel for the platform is refused for that reason alone, by `by_platform`.
    """
    anywhere = has_wheel(build, interpreter, Target())
    here = has_wheel(build, interpreter, target)
    if anywhere.refused or (here.refused and not has_platform(build, target).refused):
        yield Refusal(frozenset({WHEEL_RULE}), here.because, here.sources)
    verdict = accepts_python(build, interpreter)
    if verdict.refused:
        yield Refusal(frozenset({WHEEL_RULE}), verdict.because, verdict.sources)


def against_library(
    distribution: str, version: Version, target: Target, hardware: Hardware
) -> Iterator[Refusal]:
    """A version of a CUDA library that one of the GPUs is too old for."""
    for clause, gpu in gpu_clauses(target, hardware):
        alone = msgspec.structs.replace(target, gpus=(gpu,))
        verdict = library_serves(distribution, version, alone, hardware)
        if verdict.refused:
            yield Refusal(frozenset({clause, LIBRARY_RULE}), verdict.because, verdict.sources)


def gpu_clauses(target: Target, hardware: Hardware) -> list[tuple[str, Gpu]]:
    """Each kind of GPU once, with the name of the clause that it is there."""
    if isinstance(target.gpus, Unknown):
        return []
    kinds = {f"gpu {title_of(gpu, hardware)}": gpu for gpu in reversed(target.gpus)}
    return sorted(kinds.items())


def by_wish(build: Build, wanted: Wanted | None, wish: Wish) -> Iterator[Refusal]:
    """A release or a CUDA that is not asked for; a withdrawn or unfinished one that nobody named."""
    specifier = wanted.specifier if wanted else SpecifierSet()
    if not specifier_admits(specifier, build):
        yield _refusal(
            f"{wanted.text or specifier} is asked for" if wanted else "", f"bound {build.framework}"
        )
    pinned = any(item.operator in ("==", "===") and "*" not in item.version for item in specifier)
    if build.yanked and not pinned:
        yield _refusal(f"{build.framework} {build.version} was withdrawn by its authors", RELEASE_RULE)
    if build.prerelease and not specifier.prereleases:
        yield _refusal(f"{build.framework} {build.version} is a prerelease", RELEASE_RULE)
    if wish.cuda is not None and build.cuda is not None and not of_line(build, wish.cuda):
        made = "made with CUDA" if wish.cuda == WITHOUT_CUDA else f"not made with CUDA {wish.cuda}"
        yield _refusal(f"{name_of(build)} is {made}", "wish cuda")


def specifier_admits(specifier: SpecifierSet, build: Build) -> bool:
    """Whether a release is asked for; a local part such as `+cu126` asks for a variant as well."""
    if specifier.contains(build.version, prereleases=True):
        return True
    if "+" not in str(specifier):
        return False
    local = "".join(letter if letter.isalnum() else "." for letter in build.variant).strip(".")
    return specifier.contains(Version(f"{build.version.public}+{local or 'any'}"), prereleases=True)


def of_line(build: Build, wanted: str) -> bool:
    """Whether a build is made with a CUDA family (`12`) or line (`12.6`), or with none."""
    if build.cuda is None or "." not in wanted:
        return build.cuda is None or str(build.cuda.major) == wanted
    return str(build.cuda.line) == wanted or (build.variant == f"cu{build.cuda.major}" == f"cu{wanted[:2]}")


def by_platform(build: Build, target: Target) -> Iterator[Refusal]:
    """A build without a wheel for the system, the processor or the C library, on whichever Python."""
    verdict = has_platform(build, target)
    if not verdict.refused:
        return
    older = msgspec.structs.replace(target, libc=UNKNOWN, release=UNKNOWN)
    fact = "fact platform" if has_platform(build, older).refused else "fact libc"
    yield Refusal(frozenset({fact, WHEEL_RULE}), verdict.because, verdict.sources)


def _by_driver(build: Build, target: Target, hardware: Hardware) -> Iterator[Refusal]:
    if build.cuda is None:
        return
    verdict = driver_serves(target, build.cuda, hardware)
    if verdict.refused:
        fact = "fact platform" if target.os == "macos" else "fact driver"
        yield Refusal(frozenset({fact, DRIVER_RULE}), verdict.because, verdict.sources)


def _by_gpus(build: Build, target: Target, hardware: Hardware) -> Iterator[Refusal]:
    undriven = msgspec.structs.replace(target, driver=UNKNOWN, cuda_ceiling=UNKNOWN)
    for clause, gpu in gpu_clauses(target, hardware):
        if gpu.vendor != VENDOR_OF[build.accelerator]:
            continue
        verdict = kernels_run_on(build, gpu, target, hardware)
        if verdict.refused:
            whatever = kernels_run_on(build, gpu, undriven, hardware).refused
            facts = {clause} if whatever else {clause, "fact driver"}
            yield Refusal(frozenset({*facts, KERNELS_RULE}), verdict.because, verdict.sources)
        driven = driver_drives(target, gpu, hardware)
        if driven.refused:
            yield Refusal(frozenset({clause, "fact driver", DRIVER_RULE}), driven.because, driven.sources)


def _python_admitted(wanted: SpecifierSet, version: Version, minor: str) -> bool:
    """A bound such as `==3.12.4` admits the line 3.12: which patch release there is, uv finds out."""
    if wanted.contains(version, prereleases=True):
        return True
    exact = [Version(item.version) for item in wanted if item.operator == "==" and "*" not in item.version]
    return any(f"{item.major}.{item.minor}" == minor for item in exact) and version.release[2] == 99


def _same_python(one: Interpreter, other: Interpreter) -> bool:
    return _minor(one) == _minor(other) and one.free_threaded == other.free_threaded


def _minor(interpreter: Interpreter) -> str:
    return f"{interpreter.version.major}.{interpreter.version.minor}"


def _refusal(because: str, *clauses: str) -> Refusal:
    return Refusal(frozenset(clauses), because)
