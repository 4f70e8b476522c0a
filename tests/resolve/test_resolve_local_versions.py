"""A requirement with a local version (`engine==2.0+cpu`) means the builds that bear it, and no others."""

from __future__ import annotations

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.intake.target import parse
from dlsetup.intake.wish import parse_wanted
from dlsetup.model.framework import Build, Catalog, Framework, Index, Wheels
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.model.wish import Wish
from dlsetup.resolve import resolve

LINUX = parse("os=linux,arch=x86_64,glibc=2.31,gpu=none,driver=none")


def build(framework: str, version: str, *requires: str, index: str = "default") -> Build:
    local = "" if index == "default" else "+cpu"
    return Build(
        framework=framework,
        version=Version(version),
        variant="cpu",
        accelerator="cpu",
        wheels=(Wheels(pythons=("py3",), platform="any"),),
        requires_python=SpecifierSet(),
        index=index,
        requirements=(f"{framework}=={version}{local}",),
        requires=requires,
    )


def framework(*builds: Build) -> Framework:
    name = builds[0].framework
    return Framework(name=name, title=name, distributions=(name,), imports=name, builds=builds)


PLAIN = build("engine", "2.0")
LOCAL = build("engine", "2.0", index="engine-cpu")
NEWER = build("engine", "2.1")


def answer(asked: str, *engines: Build) -> Plan | Conflict:
    catalog = Catalog(
        frameworks=(framework(build("adapter", "1.0", asked)), framework(*engines)),
        indexes=(Index(name="default"), Index(name="engine-cpu", url="https://wheels.example/cpu")),
    )
    return resolve(Wish(wanted=(parse_wanted("adapter"),)), LINUX, catalog)


def requirements(found: Plan | Conflict) -> tuple[str, ...]:
    assert isinstance(found, Plan), found
    return found.requirements


def test_it_comes_from_the_index_that_has_local_versions() -> None:
    for engines in ((NEWER, PLAIN, LOCAL), (NEWER, LOCAL, PLAIN)):
        assert requirements(answer("engine==2.0+cpu", *engines)) == ("adapter==1.0", "engine==2.0+cpu")


def test_the_configured_index_has_none() -> None:
    found = answer("engine==2.0+cpu", NEWER, PLAIN)
    assert isinstance(found, Conflict)
    assert any("engine==2.0+cpu" in clause.text for clause in found.core)


def test_without_a_local_version_either_will_do() -> None:
    assert requirements(answer("engine==2.0", PLAIN)) == ("adapter==1.0", "engine==2.0")
    assert requirements(answer("engine==2.0", LOCAL)) == ("adapter==1.0", "engine==2.0+cpu")
