"""What the shipped catalog says of a framework, and what it answers to a wish."""

from __future__ import annotations

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from dlsetup.catalog.load import load
from dlsetup.intake.target import parse
from dlsetup.intake.wish import parse_wanted
from dlsetup.model.framework import Build, Catalog, Framework
from dlsetup.model.resolution import Conflict, Pick, Plan
from dlsetup.model.wish import Wish
from dlsetup.resolve import resolve

NVIDIA = "os=linux,arch=x86_64,glibc=2.35,driver=580.65.06,gpu=RTX 4090"
AMD = "os=linux,arch=x86_64,glibc=2.35,gpu=MI300X"
NOTHING = "os=linux,arch=x86_64,glibc=2.35,driver=none,gpu=none"


def framework(catalog: Catalog, name: str) -> Framework:
    found = catalog.framework(name)
    assert found is not None
    return found


def asked(build: Build, name: str) -> SpecifierSet | None:
    """What a build asks of a distribution, whatever the markers; None: nothing."""
    found = [item.specifier for item in map(Requirement, build.requires) if item.name == name]
    whole = SpecifierSet()
    for specifier in found:
        whole &= specifier
    return whole if found else None


def answer(catalog: Catalog, target: str, *frameworks: str, **parts: object) -> Plan | Conflict:
    wish = Wish(wanted=tuple(map(parse_wanted, frameworks)), **parts)  # type: ignore[arg-type]
    return resolve(wish, parse(target), catalog)


def planned(catalog: Catalog, target: str, *frameworks: str, **parts: object) -> dict[str, Pick]:
    found = answer(catalog, target, *frameworks, **parts)
    assert isinstance(found, Plan), found
    return {pick.framework: pick for pick in found.picks}


def resolved(target: str, *frameworks: str, **parts: object) -> Plan | Conflict:
    """As the commands ask: of a catalog with these frameworks, and those that they need."""
    catalog = load([parse_wanted(text).framework for text in frameworks])
    return answer(catalog, target, *frameworks, **parts)


def chosen(target: str, *frameworks: str, **parts: object) -> dict[str, Pick]:
    found = resolved(target, *frameworks, **parts)
    assert isinstance(found, Plan), found
    return {pick.framework: pick for pick in found.picks}
