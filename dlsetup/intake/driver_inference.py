"""What follows for the NVIDIA driver from packages, modules and the lack of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dlsetup.intake.fact import Fact, Weight
from dlsetup.model.versions import DriverRelease

_LIBRARIES = re.compile(
    r"libnvidia-(?:compute|common|gl|cfg1|decode|encode)-\d{3}(?:-server)?|nvidia-utils(?:-\d{3})?(?:-server)?"
    r"|nvidia-smi|libcuda1|libnvidia-ml1?|nvidia-driver(?:-cuda|-libs|-cuda-libs|-\d{3})?(?:-server|-open)*"
    r"|xorg-x11-drv-nvidia(?:-cuda|-libs|-cuda-libs)?"
)
NONE = "modules of NVIDIA"
"""A fact of that name says that none is loaded, as `lsmod` shows it."""
_RELEASE = re.compile(r"(?:\d:)?(\d{3}\.\d{2,3}(?:\.\d{2})?)(?![\d.])")


def driver_inferences(facts: Sequence[Fact]) -> Iterator[Fact]:
    """Libraries of the release of their package, where the module is of another; nouveau in its place."""
    known = {fact.about for fact in facts}
    mismatch = any(
        fact.about == "driver.nvml_error" and fact.value == "LIB_RM_VERSION_MISMATCH" for fact in facts
    )
    if "driver.userland" not in known and (mismatch or "driver.module" not in known):
        yield from _libraries(facts)
    if not known & {"driver.userland", "driver.module", "driver.nvml_error", NONE}:
        yield from _on_disk(facts)
    works = known & {"driver.module", "driver.cuda_ceiling"}
    for fact in facts:
        if fact.about == NONE and not works:
            yield Fact(
                "driver.module", None, fact.source, Weight.INFERRED, "`lsmod` shows no module of NVIDIA"
            )
        if fact.about == "kernel driver in use" and fact.value in ("nouveau", "vfio-pci"):
            yield Fact("driver.module", None, fact.source, Weight.INFERRED, f"`{fact.value}` drives the GPU")


def _on_disk(facts: Sequence[Fact]) -> Iterator[Fact]:
    for fact in facts:
        if fact.about == "module on disk":
            rule = "the module that lies on the disk"
            yield Fact("driver.userland", DriverRelease(fact.value), fact.source, Weight.INFERRED, rule)
            return


def _libraries(facts: Sequence[Fact]) -> Iterator[Fact]:
    for fact in facts:
        if fact.about != "package" or not _LIBRARIES.fullmatch(fact.value.name):
            continue
        found = _RELEASE.match(fact.value.version)
        if found and fact.value.state == "installed":
            rule = f"version of the package `{fact.value.name}`"
            yield Fact("driver.userland", DriverRelease(found[1]), fact.source, Weight.INFERRED, rule)
            return
