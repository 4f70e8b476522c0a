"""Targets a little different from the one at hand, the smallest change first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

import msgspec

from dlsetup.model.hardware import Hardware
from dlsetup.model.machine import Gpu, Libc
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.target import Target
from dlsetup.model.versions import DriverRelease, LibcVersion
from dlsetup.resolve.question import Question
from dlsetup.resolve.refusals import gpu_clauses
from dlsetup.rules.gpus import title_of
from dlsetup.rules.kernels import driver_drives_every_gpu

Change = tuple[str, Target]
"""What would have to be done, and the target after it."""
replace = msgspec.structs.replace
KINDS = 5
"""Of more kinds of GPU than these only single ones are tried alone."""
_TAGS = {"manylinux1": "2.5", "manylinux2010": "2.12", "manylinux2014": "2.17"}


def fewer_gpus(target: Target, hardware: Hardware) -> Iterator[list[Change]]:
    """Some kinds of the NVIDIA GPUs without the others: all changes that keep the same number of kinds."""
    if isinstance(target.gpus, Unknown):
        return
    kinds = [title for title, gpu in gpu_clauses(target, hardware) if gpu.vendor == "nvidia"]
    for size in range(len(kinds) - 1, 0, -1) if len(kinds) <= KINDS else [1]:
        yield [_only(target, target.gpus, chosen, hardware) for chosen in combinations(kinds, size)]


def _only(target: Target, gpus: tuple[Gpu, ...], chosen: tuple[str, ...], hardware: Hardware) -> Change:
    names = [title.removeprefix("gpu ") for title in chosen]
    nvidia = [gpu for gpu in gpus if gpu.vendor == "nvidia"]
    numbers = [str(place) for place, gpu in enumerate(nvidia) if title_of(gpu, hardware) in names]
    kept = tuple(gpu for gpu in gpus if gpu.vendor != "nvidia" or title_of(gpu, hardware) in names)
    setting = f"`CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES={','.join(numbers)}`"
    return f"use only {' and '.join(names)}: {setting}", replace(target, gpus=kept)


def drivers(target: Target, hardware: Hardware) -> Iterator[Change]:
    """The target with each newer driver from which on something changes, the oldest first."""
    windows = target.os == "windows" or target.wsl is True
    known = {DriverRelease(str(row.branch)) for row in hardware.branches}
    known |= {row.windows if windows else row.linux for row in hardware.floors}
    current = target.driver
    verb = "install" if current is None else "update to"
    where = " on Windows" if target.wsl is True else ""
    later = [replace(target, driver=release, cuda_ceiling=UNKNOWN) for release in sorted(known)]
    ends = [item.driver for item in later if driver_drives_every_gpu(item, hardware).refused]
    limit = f" but older than {ends[0]}, which does not support the GPU" if ends else ""
    for item in later:
        if not isinstance(current, DriverRelease) or (item.driver and current < item.driver):
            yield f"{verb} NVIDIA driver {item.driver} or newer{limit}{where}", item
    if driver_drives_every_gpu(target, hardware).refused:
        driving = [item for item in later if not driver_drives_every_gpu(item, hardware).refused]
        for item in driving[-1:]:
            yield f"go back to an NVIDIA driver of branch {item.driver}{where}", item


def newer_libc(question: Question) -> Iterator[Change]:
    """The target with a C library new enough for each wheel tag there is, the oldest first."""
    target = question.target
    if not isinstance(target.libc, Libc):
        return
    tags = {
        tag
        for framework in question.frameworks.values()
        for build in framework.builds
        for item in build.wheels
        for tag in item.platform.split(".")
    }
    found = {LibcVersion(version) for version in map(_glibc, tags) if version}
    for version in sorted(found):
        if (
            target.libc.name == "musl"
            or isinstance(target.libc.version, Unknown)
            or version > target.libc.version
        ):
            text = f"use a system or a container with glibc {version} or newer"
            yield text, replace(target, libc=Libc(name="glibc", version=version))


def under_wsl(target: Target) -> Iterator[Change]:
    """Linux inside WSL2 on the same Windows machine, with the same driver."""
    if target.os == "windows":
        linux = replace(target, os="linux", wsl=True, libc=UNKNOWN, release=UNKNOWN, pythons=UNKNOWN)
        yield "work inside WSL2 (`wsl --install`), which uses the Windows driver", linux


def _glibc(tag: str) -> str:
    found = re.match(r"manylinux_(\d{1,4})_(\d{1,4})_", tag)
    return f"{found[1]}.{found[2]}" if found else _TAGS.get(tag.partition("_")[0], "")
