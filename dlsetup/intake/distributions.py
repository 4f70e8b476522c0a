"""What is installed, out of all listings of one report."""

from __future__ import annotations

from collections.abc import Sequence

from dlsetup.intake.fact import Fact
from dlsetup.model.machine import Distribution
from dlsetup.model.record import UNKNOWN, Unknown


def copies(listed: Sequence[Fact], observed: Sequence[Fact]) -> tuple[Distribution, ...] | Unknown:
    """Each distribution once for each version of it that is there; the imported copy comes first.

    pip lists what conda installed as well, so the same version told by both is one copy, and of one
    installer the last listing counts: it shows what an install left. A package without files that
    stands for another one (`pytorch-gpu`) may say less than that one.
    """
    if not listed:
        return UNKNOWN
    last: dict[tuple[str, str], Fact] = {}
    for fact in listed:
        key = (fact.value.name, fact.value.installer if isinstance(fact.value.installer, str) else "")
        known = last.get(key)
        if known is None or (fact.weight >= known.weight and not _says_less(fact.value, known.value)):
            last[key] = fact
    found: dict[tuple[str, str], Distribution] = {}
    for fact in sorted(last.values(), key=lambda item: -item.weight):
        item: Distribution = fact.value
        place = (item.name, item.version.public)
        found[place] = _joined(found[place], item) if place in found else item
    imported = {
        fact.value.subject.removesuffix(".__version__"): fact.value.value.split("+")[0]
        for fact in observed
        if fact.value.subject.endswith(".__version__")
    }
    return tuple(
        sorted(found.values(), key=lambda item: (item.name, imported.get(item.name) != item.version.public))
    )


def _says_less(one: Distribution, other: Distribution) -> bool:
    same = one.version == other.version
    return same and isinstance(one.variant, Unknown) and not isinstance(other.variant, Unknown)


def _joined(one: Distribution, other: Distribution) -> Distribution:
    """Two accounts of one copy: the one that says what it was built for."""
    if isinstance(one.variant, Unknown) and not isinstance(other.variant, Unknown):
        return other
    return one
