"""For which kind of device builds are chosen, and how strictly."""

from __future__ import annotations

import re

from msgspec.structs import replace

from dlsetup.model.framework import Accelerator, Build
from dlsetup.model.machine import Gpu, Vendor
from dlsetup.model.record import Record, Unknown
from dlsetup.model.target import Target
from dlsetup.model.wish import WITHOUT_CUDA, Wish
from dlsetup.rules.gpus import DEVICES
from dlsetup.rules.kernels import has_device

ORDER: tuple[tuple[Vendor, Accelerator], ...] = (
    ("nvidia", "cuda"),
    ("amd", "rocm"),
    ("google", "tpu"),
    ("ascend", "ascend"),
    ("intel", "xpu"),
    ("apple", "mps"),
)
STRICT: tuple[Accelerator, ...] = ("cuda", "rocm", "tpu", "ascend")
"""Where there is such a device, a CPU build is taken only if the user allows it."""
_XPU = re.compile(r"\barc\b|\bmax 1\d{3}\b|\b[ab]\d[0-9]0\b|\bbattlemage\b")
"""Names of the Intel GPUs that the authors of XPU builds support."""


class Devices(Record, frozen=True, kw_only=True):
    """What builds are chosen for."""

    accelerator: Accelerator
    strict: bool
    """No other accelerator, and no CPU build of a framework that has builds for accelerators."""
    clause: str
    """The wish or fact that decides it."""
    because: str = ""
    unknown: str = ""
    apple: bool = False
    """It runs macOS, where the build for MPS is also the one for the CPU."""

    @property
    def known(self) -> bool:
        """Whether the target's own GPUs decide, so that it matters what code a build holds."""
        return self.clause == "fact gpus"

    def prefers(self, build: Build) -> bool:
        """Whether a build is for this kind of device."""
        both = self.apple and self.accelerator == "cpu" and build.accelerator == "mps"
        return both or build.accelerator == self.accelerator

    def admits(self, build: Build, *, only_cpu: bool) -> bool:
        """Whether a build may be taken; `only_cpu`: its framework has nothing else."""
        if self.prefers(build):
            return True
        everywhere = only_cpu or build.variant == "any"
        return build.accelerator == "cpu" and (everywhere or not self.strict)


def devices_of(wish: Wish, target: Target) -> Devices:
    """The kind of device: asked for, or the one the target has, or the CPU where it has none."""
    if wish.accelerator is not None:
        return Devices(
            accelerator=wish.accelerator,
            strict=wish.accelerator != "cpu" and not wish.allow_cpu,
            clause="wish accelerator",
            because=_without_device(wish.accelerator, target),
            apple=target.os == "macos",
        )
    if wish.cuda == WITHOUT_CUDA:
        return _without_cuda(target)
    if wish.cuda is not None:
        return Devices(accelerator="cuda", strict=not wish.allow_cpu, clause="wish cuda")
    found = _of_macos(target) if target.os == "macos" else _of_gpus(target)
    if wish.allow_cpu and found.strict:
        return Devices(
            accelerator=found.accelerator, strict=False, clause=found.clause, because=found.because
        )
    return found


def _without_cuda(target: Target) -> Devices:
    """Another vendor's GPU, or the CPU."""
    if isinstance(target.gpus, Unknown):
        return Devices(accelerator="cpu", strict=False, clause="wish cuda")
    others = tuple(gpu for gpu in target.gpus if gpu.vendor != "nvidia")
    found = _of_macos(target) if target.os == "macos" else _of_gpus(replace(target, gpus=others))
    because = "builds without CUDA are asked for" if found.accelerator == "cpu" else found.because
    return Devices(
        accelerator=found.accelerator,
        strict=found.strict,
        clause="wish cuda",
        because=because,
        apple=target.os == "macos",
    )


def _without_device(accelerator: Accelerator, target: Target) -> str:
    verdict = has_device(accelerator, target)
    return f"{accelerator} is asked for, although {verdict.because}" if verdict.refused else ""


def _of_macos(target: Target) -> Devices:
    accelerator: Accelerator = "mps" if target.arch == "aarch64" else "cpu"
    return Devices(accelerator=accelerator, strict=False, clause="fact gpus")


def _of_gpus(target: Target) -> Devices:
    if isinstance(target.gpus, Unknown):
        return _of_driver(target)
    for vendor, accelerator in ORDER:
        if any(gpu.vendor == vendor and _usable(gpu) for gpu in target.gpus):
            because = f"{target.name} has {_article(DEVICES[vendor])}"
            strict = accelerator in STRICT
            return Devices(accelerator=accelerator, strict=strict, clause="fact gpus", because=because)
    because = f"{target.name} has no GPU that a framework could use"
    if target.gpus:
        because = f"{target.name} has no GPU that is known to serve a framework"
    return Devices(accelerator="cpu", strict=False, clause="fact gpus", because=because)


def _of_driver(target: Target) -> Devices:
    """GPUs are not known: a driver tells that there is one; without a word a GPU is preferred."""
    unknown = f"which GPUs {target.name} has is not known"
    if target.driver is None:
        because = f"{target.name} has no NVIDIA driver"
        return Devices(
            accelerator="cpu", strict=False, clause="fact driver", because=because, unknown=unknown
        )
    known = not isinstance(target.driver, Unknown) or not isinstance(target.cuda_ceiling, Unknown)
    return Devices(accelerator="cuda", strict=known, clause="fact driver", unknown=unknown)


def _usable(gpu: Gpu) -> bool:
    """Intel graphics are mostly those of a processor; XPU builds are for those of the Arc and Max lines."""
    named = not isinstance(gpu.name, Unknown) and _XPU.search(gpu.name.lower()) is not None
    return gpu.vendor != "intel" or named or not isinstance(gpu.arch, Unknown)


def _article(word: str) -> str:
    return f"an {word}" if word[0] in "AIN" else f"a {word}"
