"""Which of several fitting choices is better. Smaller is better; no two choices rank the same."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from packaging.version import Version

from dlsetup.model.framework import Build, Framework
from dlsetup.model.record import Unknown
from dlsetup.model.target import Interpreter
from dlsetup.model.versions import CudaVersion
from dlsetup.resolve.devices import Devices
from dlsetup.rules.wheels import tag_fits

RECENT = 12
"""How many releases of a framework count when asking which Python is supported best."""

Rank = tuple[Any, ...]


def variant_rank(build: Build, devices: Devices, ceiling: CudaVersion | Unknown) -> Rank:
    """The device asked for; where the GPUs are known, a build of which its GPUs are; the CUDA line nearest to
    the driver's own, from below; the usual index.
    """
    return (
        not devices.prefers(build),
        devices.known and _untold(build),
        _distance(build, ceiling),
        build.index != "default",
        tuple(-int(number) for number in re.findall(r"\d+", build.variant)),
        build.variant,
        build.index,
        build.requirements,
        tuple(item.platform for item in build.wheels),
    )


def python_rank(interpreter: Interpreter, support: int) -> Rank:
    """With the usual threads; already there; supported by more releases; newer."""
    version = interpreter.version
    return (interpreter.free_threaded, interpreter.path is None, -support, -version.major, -version.minor)


def supported_by(interpreter: Interpreter, frameworks: Iterable[Framework]) -> int:
    """How many recent releases of these frameworks have a wheel for this Python."""
    count = 0
    for framework in frameworks:
        versions = sorted({build.version for build in framework.builds if not build.prerelease}, reverse=True)
        tags: dict[Version, set[str]] = {version: set() for version in versions[:RECENT]}
        for build in framework.builds:
            if build.version in tags:
                tags[build.version].update(tag for item in build.wheels for tag in item.pythons)
        count += sum(any(tag_fits(tag, interpreter) for tag in found) for found in tags.values())
    return count


def _untold(build: Build) -> bool:
    """Whether nothing tells which GPUs a build holds code for."""
    if build.accelerator == "rocm":
        return isinstance(build.gfx, Unknown)
    told = (build.kernels, build.ptx, build.min_capability)
    return build.accelerator == "cuda" and all(isinstance(item, Unknown) for item in told)


def _distance(build: Build, ceiling: CudaVersion | Unknown) -> Rank:
    """Lines up to the driver's ceiling come first, the newest of them first; then those above it."""
    if build.cuda is None or isinstance(ceiling, Unknown):
        return (0, 0, 0)
    line = build.cuda.line
    if line > ceiling:
        return (1, line.major, line.minor)
    return (0, -line.major, -line.minor)
