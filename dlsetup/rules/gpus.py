"""What a GPU is: its compute capability and its name in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from dlsetup.model.framework import Hardware
from dlsetup.model.machine import Gpu
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.target import Target
from dlsetup.model.versions import ComputeCapability

_BRANDS = frozenset({"nvidia", "geforce", "tesla", "gpu", "graphics", "card", "corporation"})
_FORM = re.compile(r"\d+gi?b|sxm\d*|pcie|hbm\d*e?|nvl")


def capability_of(gpu: Gpu, hardware: Hardware) -> ComputeCapability | Unknown:
    """Compute capability as the GPU says it, by its architecture, or by its product name.

    A name that fits rows of two capabilities tells nothing.
    """
    if isinstance(gpu.compute_capability, ComputeCapability):
        return gpu.compute_capability
    if gpu.vendor != "nvidia":
        return UNKNOWN
    if not isinstance(gpu.arch, Unknown):
        try:
            return ComputeCapability.from_arch(gpu.arch)
        except ValueError:
            pass
    return UNKNOWN if isinstance(gpu.name, Unknown) else capability_by_name(gpu.name, hardware)


def capability_by_name(name: str, hardware: Hardware) -> ComputeCapability | Unknown:
    """Compute capability of a product name; brand, memory size and form (`SXM4-80GB`) do not count.

    A row may hold two names (`V100 / Tesla V100`) or a remark (`TITAN X (Pascal)`) that may be left out.
    """
    rows = [(spelling, row.compute_capability) for row in hardware.gpus for spelling in _spellings(row.name)]
    for words in (_words(name), _core(name)):
        found = {capability for spelling, capability in rows if words in (spelling, _without_form(spelling))}
        if len(found) == 1 and words:
            return found.pop()
    return UNKNOWN


def with_capabilities(target: Target, hardware: Hardware) -> Target:
    """The target with the compute capability of each NVIDIA GPU looked up once, where it can be known."""
    if isinstance(target.gpus, Unknown):
        return target
    gpus = (
        msgspec.structs.replace(gpu, compute_capability=capability_of(gpu, hardware))
        if gpu.vendor == "nvidia"
        else gpu
        for gpu in target.gpus
    )
    return msgspec.structs.replace(target, gpus=tuple(gpus))


def title_of(gpu: Gpu, hardware: Hardware) -> str:
    """`NVIDIA GeForce RTX 4090 (sm_89)`, as much of it as is known."""
    capability = capability_of(gpu, hardware)
    name = "" if isinstance(gpu.name, Unknown) else gpu.name
    arch = capability.sm if not isinstance(capability, Unknown) else gpu.arch
    if isinstance(arch, Unknown):
        return name or f"the {DEVICES[gpu.vendor]}"
    return f"{name} ({arch})" if name and name != arch else f"a GPU of architecture {arch}"


DEVICES = {
    "nvidia": "NVIDIA GPU",
    "amd": "AMD GPU",
    "intel": "Intel GPU",
    "apple": "Apple GPU",
    "ascend": "Ascend NPU",
    "google": "Google TPU",
}


def _words(name: str) -> tuple[str, ...]:
    return tuple(word for word in re.findall(r"[a-z0-9]+", name.lower()) if word not in _BRANDS)


def _core(name: str) -> tuple[str, ...]:
    return _without_form(_words(name))


def _without_form(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for word in words if not _FORM.fullmatch(word))


def _spellings(name: str) -> Iterator[tuple[str, ...]]:
    for one in name.split(" / "):
        yield _words(one)
        yield _words(re.sub(r"\(.*?\)", "", one))
