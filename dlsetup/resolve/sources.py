"""What a wish says of the place and the shape of a build: its extras, its distribution, its index."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from dlsetup.model.framework import Build, Framework
from dlsetup.model.target import Interpreter
from dlsetup.model.wish import Wanted, Wish
from dlsetup.resolve.companions import PINS_RULE
from dlsetup.resolve.pieces import Refusal
from dlsetup.rules.installed import asked_for
from dlsetup.rules.kernels import name_of
from dlsetup.rules.libraries import applying, marker_environment, versions_exist, versions_of

if TYPE_CHECKING:
    from dlsetup.resolve.question import Question

_OF_DEVICE = re.compile(r"(and-)?(cpu|gpu|cuda|cu\d|rocm|tpu|xpu|oneapi|mps|ascend|directml)[\w.-]*")


def by_source(build: Build, wanted: Wanted | None, framework: Framework) -> Iterator[Refusal]:
    """A build without the extra that is asked for, under another name, or from another index."""
    if wanted is None:
        return
    asked = wanted.text or wanted.framework
    lacking = device_extras(wanted, framework) - _extras_of(build)
    if lacking:
        text = f"{name_of(build)} does not come with `{'`, `'.join(sorted(lacking))}`"
        yield Refusal(frozenset({f"extra {build.framework}"}), text)
    if wanted.distribution and wanted.distribution not in asked_for(build):
        yield Refusal(frozenset({f"name {build.framework}"}), f"{name_of(build)} is not installed as {asked}")
    if wanted.indexes and build.index not in wanted.indexes:
        text = f"its {build.variant} build comes from another index than the one that is asked for"
        yield Refusal(frozenset({f"index {build.framework}"}), text)


def bounds_of(wish: Wish) -> dict[str, list[str]]:
    """What the wish says of further packages, by the name of the package."""
    found: dict[str, list[str]] = {}
    for text in (*wish.packages, *wish.constraints):
        try:
            item = Requirement(text)
        except InvalidRequirement:
            continue
        if item.specifier and not item.url:
            found.setdefault(canonicalize_name(item.name), []).append(text)
    return found


def by_packages(question: Question, build: Build, interpreter: Interpreter) -> Iterator[Refusal]:
    """A build that asks for a library in versions that a further package of the wish excludes.

    Taking the builds one by one is enough: where each two ranges of versions meet, all of them do.
    """
    if not question.bounds:
        return
    asked = question.companions.specifiers(build, interpreter)
    for name in sorted(asked.keys() & question.bounds.keys()):
        specifier = _bound(question.bounds[name], marker_environment(interpreter, question.known))
        if versions_exist((asked[name], specifier), versions_of(name, question.catalog)) == "no":
            reason = f"{build.framework} {build.version} asks for {name}{asked[name]}"
            yield Refusal(frozenset({f"package {name}", PINS_RULE}), reason, build.sources)


def _bound(texts: list[str], environment: dict[str, str] | None) -> SpecifierSet:
    """Those of the bounds that surely apply, together."""
    together = SpecifierSet()
    for text in texts:
        item = applying(text, environment)
        together &= item.specifier if item else SpecifierSet()
    return together


def asks_for_cpu(wanted: Wanted | None, build: Build) -> bool:
    """Whether a CPU build is named: by `torch==2.14.1+cpu`, by `jax[cpu]`, by the index of CPU builds."""
    if wanted is None or build.accelerator != "cpu":
        return False
    pinned = any(item.operator == "==" and item.version.endswith("+cpu") for item in wanted.specifier)
    return pinned or "cpu" in wanted.extras or bool(wanted.indexes) or wanted.distribution.endswith("-cpu")


def device_extras(wanted: Wanted, framework: Framework) -> set[str]:
    """Of the extras those that choose a device: some build has them, or their name says so."""
    if not wanted.extras:
        return set()
    known = {extra for build in framework.builds for extra in _extras_of(build)}
    return {extra for extra in wanted.extras if extra in known or names_a_device(extra)}


def names_a_device(extra: str) -> bool:
    """Whether the name of an extra says which device it is for: `cuda12`, `and-cuda`, `tpu`."""
    return _OF_DEVICE.fullmatch(canonicalize_name(extra)) is not None


def other_extras(wanted: Wanted | None, framework: Framework) -> list[str]:
    """Extras that have nothing to do with the device: the catalog does not know what they bring."""
    return [] if wanted is None else sorted(set(wanted.extras) - device_extras(wanted, framework))


def with_extras(requirement: str, extras: list[str]) -> str:
    """`lightning==2.6` with `extra` is `lightning[extra]==2.6`."""
    if not extras:
        return requirement
    item = Requirement(requirement)
    return f"{item.name}[{','.join(sorted({*item.extras, *extras}))}]{item.specifier}"


def known_extras(framework: Framework) -> list[str]:
    """The extras that builds of the framework are asked for with."""
    return sorted({extra for build in framework.builds for extra in _asked_extras(build)})


def _extras_of(build: Build) -> set[str]:
    """Those it is asked for with; `[cpu]` means a CPU build, whether or not there is such an extra."""
    return {*_asked_extras(build), *(["cpu"] if build.accelerator == "cpu" else [])}


def _asked_extras(build: Build) -> set[str]:
    found: set[str] = set()
    for text in build.requirements:
        if "[" in text:
            try:
                found |= {canonicalize_name(extra) for extra in Requirement(text).extras}
            except InvalidRequirement:
                continue
    return found
