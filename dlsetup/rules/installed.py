"""Which build of the catalog an installed distribution is.

A local version or a clue file tells the variant where each variant is a file of its own (torch). Where
variants differ only in what is installed beside them (JAX by its plugin, TensorFlow by its CUDA
wheels), the neighbours tell.
"""

from __future__ import annotations

import re

from packaging.utils import canonicalize_name

from dlsetup.model.framework import Build, Catalog, Framework
from dlsetup.model.machine import Distribution, Environment
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.target import Interpreter, Target
from dlsetup.rules.libraries import libraries_of
from dlsetup.rules.wheels import platform_target

_EXTRAS = re.compile(r"\[[^\]]*\]")
_File = tuple[str, tuple[str, ...], frozenset[Target]]


def framework_of(name: str, catalog: Catalog) -> Framework | None:
    """The framework that is installed under this distribution name."""
    return next((item for item in catalog.frameworks if name in item.distributions), None)


def build_of(
    distribution: Distribution, environment: Environment, catalog: Catalog
) -> Build | None | Unknown:
    """The build that `distribution` is; None: the catalog has no such build; unknown: several fit."""
    framework = framework_of(distribution.name, catalog)
    if framework is None:
        return None
    release = list(framework.of(distribution.version))
    release = [build for build in release if distribution.name in asked_for(build)] or release
    if not release:
        return None
    named = [build for build in release if build.variant == distribution.variant]
    if not isinstance(distribution.variant, Unknown) and not named:
        return None
    release = _by_default(release, distribution) or release
    siblings: dict[_File, list[Build]] = {_file(build): [] for build in named or release}
    for build in release:
        if _file(build) in siblings:
            siblings[_file(build)].append(build)
    # Files of other systems are among them: companions that are there tell which of the files it is.
    met = [pair for group in siblings.values() for pair in _with_neighbours(group, environment)]
    most = max(count for _, count in met)
    return _of_local([build for build, count in met if count == most], distribution)


def _by_default(release: list[Build], distribution: Distribution) -> list[Build]:
    """Of what pip put there without a local version, and nothing tells more: the default index's own.

    Other indexes mark their builds: `2.9.1+cu128`.
    """
    plain = isinstance(distribution.variant, Unknown) and distribution.version.local is None
    if not plain or distribution.installer != "pip":
        return []
    return [build for build in release if build.index == "default"]


def asked_for(build: Build) -> set[str]:
    """Distributions that an installer is asked for to get this build: `onnxruntime-gpu`."""
    return {canonicalize_name(re.split(r"[^\w.-]", text, maxsplit=1)[0]) for text in build.requirements}


def variant_of(distribution: Distribution, environment: Environment, catalog: Catalog) -> str | Unknown:
    """The accelerator variant of an installed framework: that of its build, or what its files say."""
    build = build_of(distribution, environment, catalog)
    return build.variant if isinstance(build, Build) else distribution.variant


def _file(build: Build) -> _File:
    """What is downloaded, whatever extras are asked for beside it.

    The same name on the same index is another file on another system: torch's own is a CPU build on Windows.
    Extras may need a newer C library than the rest (JAX for TPU), which makes no other file.
    """
    names = tuple(_EXTRAS.sub("", text) for text in build.requirements)
    return build.index, names, frozenset(platform_target(wheels.platform) for wheels in build.wheels)


def _with_neighbours(siblings: list[Build], environment: Environment) -> list[tuple[Build, int]]:
    """Of builds in the same file those whose own companions are installed, and how many these are.

    Parts of the framework itself (`jax-cuda12-plugin`) tell even where the libraries are the system's.
    What an excerpt of a list does not show may be there all the same.
    """
    if isinstance(environment.distributions, Unknown):
        return [(build, 0) for build in siblings]
    installed = {item.name for item in environment.distributions}
    asked = [(build, _names(build, environment)) for build in siblings]
    common = set.intersection(*(names for _, names in asked))
    own = [(build, names - common) for build, names in asked]
    met = [
        (build, len(names))
        for build, names in own
        if names <= installed or _has_parts(build, names, installed)
    ]
    told = environment.complete or any(count for _, count in met)
    return met if met and told else [(build, 0) for build in siblings]


def _has_parts(build: Build, names: set[str], installed: set[str]) -> bool:
    """Whether a part is there that carries the framework's own name; the rest of it may be what is broken."""
    return any(name.startswith(f"{build.framework}-") for name in names & installed)


def _of_local(builds: list[Build], distribution: Distribution) -> Build | None | Unknown:
    """One build; of several of the same variant the one whose index writes such versions."""
    if len({build.variant for build in builds}) > 1:
        return UNKNOWN
    local = distribution.version.local is not None
    fitting = [build for build in builds if (build.index != "default") == local] or builds
    return fitting[0] if fitting else None


def _names(build: Build, environment: Environment) -> set[str]:
    """Distributions the build asks for on the platform of its wheels."""
    if isinstance(environment.python, Unknown):
        return set()
    interpreter = Interpreter(version=environment.python)
    target = platform_target(build.wheels[0].platform) if build.wheels else Target()
    return set(libraries_of(build, interpreter, target))
