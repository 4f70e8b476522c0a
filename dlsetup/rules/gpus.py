"""What a GPU is: its compute capability and its name in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from dlsetup.model.hardware import Hardware
from dlsetup.model.machine import Gpu
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.target import Target
from dlsetup.model.versions import ComputeCapability

_BRANDS = frozenset({"nvidia", "geforce", "tesla", "grid", "gpu", "graphics", "card", "corporation"})
_FORM = re.compile(
    r"\d+g(i?b)?|sxm\d*|pcie|hbm\d*e?|nvl|ls|ac|lhr|lite|hash|rate|\d{1,2}[abcq]"
    r"|laptop|mobile|notebook|with|max|q|design|developer|kit|module"
)
"""Memory, form and share of a GPU, none of which changes its architecture: `SXM4-80GB`, `-24Q`, `Max-Q`."""
_GLUED = re.compile(r"(?<![a-z0-9])([rg]tx)(?=\d)|(?<=\d{3})(?=ti(?![a-z0-9]))")
"""Where a space is left out: `RTX4090`, `3090Ti`."""
_PART = re.compile(r"\s+mig\s.*")
"""What a slice of a GPU adds to its name: `NVIDIA A100-SXM4-80GB MIG 1g.10gb`."""
_CHIPS = frozenset({"orin", "xavier", "thor"})
"""Names of chips, which boards carry in theirs."""


def one_of_each(gpus: Iterable[Gpu]) -> list[Gpu]:
    """Of the GPUs that are of one kind the first: what one of them runs, the others run."""
    kinds: dict[tuple[object, ...], Gpu] = {}
    for gpu in gpus:
        kinds.setdefault((gpu.vendor, gpu.name, gpu.arch, gpu.compute_capability), gpu)
    return list(kinds.values())


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


def gfx_of(gpu: Gpu, hardware: Hardware) -> str | Unknown:
    """The architecture of an AMD GPU (`gfx1100`), as the GPU says it or by its product name."""
    if not isinstance(gpu.arch, Unknown):
        return gpu.arch
    if isinstance(gpu.name, Unknown):
        return UNKNOWN
    words = _words(gpu.name)
    found = {row.gfx for row in hardware.amd if words in _endings(_words(row.name))}
    return found.pop() if len(found) == 1 else UNKNOWN


def _endings(words: tuple[str, ...]) -> set[tuple[str, ...]]:
    """A product name without what it begins with, as long as a number is left: `rx 7900 xtx`."""
    endings = (words[start:] for start in range(len(words)))
    return {ending for ending in endings if re.search(r"\d", " ".join(ending))}


def capability_by_name(name: str, hardware: Hardware) -> ComputeCapability | Unknown:
    """Compute capability of a product name; brand, memory size and form (`SXM4-80GB`) do not count.

    A row may hold two names (`V100 / Tesla V100`) or a remark (`TITAN X (Pascal)`) that may be left out.
    A name that says only a part (`A6000`, `Orin`) counts where all rows with that part agree.
    """
    core = _core(name)
    # Taking a row apart is slow; all rows that can fit hold these words somewhere.
    rows = [
        (spelling, row.compute_capability)
        for row in hardware.gpus
        if all(word in row.name.lower() for word in core)
        for spelling in _spellings(row.name)
    ]
    for words in (_words(name), core):
        found = {capability for spelling, capability in rows if words in (spelling, _without_form(spelling))}
        if len(found) == 1 and words:
            return found.pop()
    part = set(core)
    if not _tells(part):
        return UNKNOWN
    found = {capability for spelling, capability in rows if part <= set(spelling)}
    return found.pop() if len(found) == 1 else UNKNOWN


def _tells(part: set[str]) -> bool:
    """Whether a part of a name is one: a chip or a number, with more than the bare number (`1080`)."""
    numbered = any(re.search(r"\d", word) for word in part)
    return bool(part & _CHIPS) or (numbered and not all(map(str.isdigit, part)))


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
    apart = _GLUED.sub(r"\1 ", _PART.sub("", name.lower()))
    return tuple(word for word in re.findall(r"[a-z0-9]+", apart) if word not in _BRANDS)


def _core(name: str) -> tuple[str, ...]:
    return _without_form(_words(name))


def _without_form(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for word in words if not _FORM.fullmatch(word))


def _spellings(name: str) -> Iterator[tuple[str, ...]]:
    for one in name.split(" / "):
        yield _words(one)
        yield _words(re.sub(r"\(.*?\)", "", one))
