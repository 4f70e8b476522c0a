"""One list of GPUs out of all that a report says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import asdict, replace

from dlsetup.intake.fact import Fact
from dlsetup.model.machine import Gpu
from dlsetup.model.record import UNKNOWN, Unknown

MOST = 64
"""GPUs of a listing, and listings, that are looked at: no machine has more, a hostile text may."""
MOST_KINDS = 8
"""Kinds of GPUs: each is held against every build of a framework."""


def gpus_of(by_kind: Mapping[str, Sequence[Fact]]) -> tuple[Gpu, ...] | Unknown:
    """The fullest listing, with what the others add to its GPUs; unknown where nothing tells of any.

    A fact `gpus` with an empty tuple says that there are none.
    """
    listings: dict[str, list[Fact]] = {}
    for fact in by_kind.get("gpu", ()):
        listings.setdefault(fact.group or fact.source, []).append(fact)
    if not listings:
        return () if any(fact.value == () for fact in by_kind.get("gpus", ())) else UNKNOWN
    ranked = sorted(listings.values(), key=lambda facts: (-max(fact.weight for fact in facts), -len(facts)))
    gpus = [fact.value for fact in ranked[0][:MOST]]
    for facts in ranked[1:MOST]:
        gpus = _with(gpus, [fact.value for fact in facts[:MOST]])
    kinds = list(dict.fromkeys(map(_kind, gpus)))[:MOST_KINDS]
    return tuple(gpu for gpu in gpus if _kind(gpu) in kinds)


def _kind(gpu: Gpu) -> tuple[object, ...]:
    return gpu.vendor, gpu.name, gpu.arch, gpu.compute_capability


def _with(gpus: list[Gpu], others: list[Gpu]) -> list[Gpu]:
    """The GPUs with what a second listing knows of them; a maker that the first lacks is added."""
    found = list(gpus)
    taken: set[int] = set()
    for other in others:
        place = next(
            (number for number, gpu in enumerate(found) if number not in taken and _alike(gpu, other)), None
        )
        if place is not None:
            taken.add(place)
            found[place] = _filled(found[place], other)
        elif all(gpu.vendor != other.vendor for gpu in found):
            found.append(other)
    return found


def _alike(one: Gpu, other: Gpu) -> bool:
    """Whether nothing that both say differs. Tables cut names short."""
    if one.vendor != other.vendor:
        return False
    names = [name.removeprefix("NVIDIA ").lower() for name in (one.name, other.name) if isinstance(name, str)]
    if len(names) == 2 and not (names[0].startswith(names[1]) or names[1].startswith(names[0])):
        return False
    codes = {
        code
        for code in (one.compute_capability, other.compute_capability)
        if code and not isinstance(code, Unknown)
    }
    return len(codes) < 2


def _filled(one: Gpu, other: Gpu) -> Gpu:
    more = {
        name: value
        for name, value in asdict(other).items()
        if isinstance(getattr(one, name), Unknown) and not isinstance(value, Unknown)
    }
    if isinstance(one.name, str) and isinstance(other.name, str) and len(other.name) > len(one.name):
        more["name"] = other.name
    return replace(one, **more)
