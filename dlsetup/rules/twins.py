"""Distributions that own one import package: installed beside each other, the last one written wins."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from packaging.utils import canonicalize_name

from dlsetup.model.framework import Catalog
from dlsetup.model.machine import Distribution, Environment, SharedFiles
from dlsetup.model.record import Unknown
from dlsetup.rules.libraries import overlap_of

ENOUGH = 3
"""Fewer shared files (a licence, a readme at the top) are no sign of twins."""
PARTED = frozenset({"nvidia", "jax", "torch"})
"""First words of distributions that are parts of one thing and lie beside each other in health."""


def twins(environment: Environment, catalog: Catalog) -> dict[str, tuple[str, ...]]:
    """Twins that are installed together, by their common name: told by the catalog and by their files."""
    groups = {
        framework.name: present
        for framework in catalog.frameworks
        for group in framework.twins
        if len(present := tuple(name for name in group if environment.distribution(name))) > 1
    }
    for shared in shared_files(environment):
        name = _common_name(shared.owners)
        known = any(set(group) >= set(shared.owners) for group in groups.values())
        if name and not known and shared.count >= ENOUGH and not are_libraries(shared, catalog):
            groups[name] = shared.owners
    return {name: group for name, group in groups.items() if not _one_brings_the_other(environment, group)}


def twin_to_keep(group: Sequence[str], environment: Environment, *, gpu: bool) -> str:
    """The one for the GPU where there is a GPU; of several, one that something else asks for."""
    for_gpu = [name for name in group if name.endswith("-gpu")]
    for_cpu = [name for name in group if name not in for_gpu]
    fitting = (for_gpu or for_cpu) if gpu else (for_cpu or for_gpu)
    asked = {name for item in _known(environment) if item.name not in group for name in _asked_by(item)}
    return next((name for name in fitting if name in asked), fitting[0])


def shared_files(environment: Environment) -> tuple[SharedFiles, ...]:
    """Files with several owners, as far as they are known."""
    return () if isinstance(environment.shared_files, Unknown) else environment.shared_files


def are_libraries(shared: SharedFiles, catalog: Catalog) -> bool:
    """Whether the owners are CUDA libraries of several majors, which are another matter than twins."""
    return all(overlap_of(name, catalog.hardware) for name in shared.owners)


def _one_brings_the_other(environment: Environment, group: Collection[str]) -> bool:
    """Whether one of them is a shell that requires the other, as `tensorflow` on Windows once did."""
    return any(
        name in group for item in _known(environment) if item.name in group for name in _asked_by(item)
    )


def _asked_by(distribution: Distribution) -> Iterator[str]:
    for text in () if isinstance(distribution.requires, Unknown) else distribution.requires:
        found = re.match(r"\s*([\w.-]+)", text)
        if found:
            yield canonicalize_name(found[1])


def _common_name(owners: Sequence[str]) -> str:
    """The word all names begin with: `opencv` of opencv-python and opencv-contrib-python."""
    first = {owner.split("-")[0] for owner in owners}
    return first.pop() if len(first) == 1 and not first & PARTED else ""


def _known(environment: Environment) -> tuple[Distribution, ...]:
    return () if isinstance(environment.distributions, Unknown) else environment.distributions
