"""What installed distributions ask of others, by their own metadata and by the catalog."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from packaging.markers import UndefinedComparison, UndefinedEnvironmentName
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from dlsetup.judge.scene import Scene
from dlsetup.model.framework import Build
from dlsetup.model.machine import Distribution
from dlsetup.model.record import Record, Unknown
from dlsetup.rules.libraries import applying, marker_environment

_FLOORS = ("==", ">=", "~=")
_BUILT_WITH = re.compile(r"cuda(\d{2})\.cudnn(\d{1,3})")


class Demand(Record, frozen=True, kw_only=True):
    """One requirement that holds here."""

    owner: Distribution
    name: str
    """Canonical name of what is asked for."""
    specifier: SpecifierSet

    @property
    def floor(self) -> Version | None:
        """The oldest version asked for, where one is named."""
        named = [item.version.removesuffix(".*") for item in self.specifier if item.operator in _FLOORS]
        return max((Version(text) for text in named), default=None)

    def admits(self, version: Version) -> bool:
        return self.specifier.contains(version, prereleases=True)

    @property
    def text(self) -> str:
        """`torch 2.14.1 asks for nvidia-cudnn-cu12==9.10.2.21`."""
        return f"{self.owner.name} {self.owner.version} asks for {self.name}{self.specifier}"


def demands(scene: Scene, wanted: str) -> Iterator[Demand]:
    """What the examined environment's distributions ask of those whose name matches the pattern `wanted`.

    The extras of a framework's build count as its own requirements, where its metadata is silent; conda's
    builds have their CUDA from conda, not from the wheels that wheels ask for.
    """
    builds = {item.distribution.name: item.build for item in scene.installed}
    for owner in scene.distributions:
        build = builds.get(owner.name)
        own = () if isinstance(owner.requires, Unknown) else owner.requires
        named = {required_name(text) for text in own}
        extra = build.requires if isinstance(build, Build) else ()
        if owner.installer == "conda":
            extra = tuple(text for text in extra if not required_name(text).startswith("nvidia-"))
        texts = (*own, *(text for text in extra if required_name(text) not in named), *_of_local(owner))
        yield from demands_in(scene, owner, texts, wanted)


def _of_local(owner: Distribution) -> Iterator[str]:
    """What the local version of a wheel says it was built with: `0.4.23+cuda12.cudnn89` needs cuDNN 8.9 or a
    later 8.x."""
    found = _BUILT_WITH.fullmatch(owner.version.local or "")
    if found:
        floor = ".".join(found[2][:2]) if len(found[2]) > 1 else found[2]
        yield f"nvidia-cudnn-cu{found[1]}>={floor},<{int(found[2][0]) + 1}"


def demands_in(scene: Scene, owner: Distribution, texts: Iterable[str], wanted: str) -> Iterator[Demand]:
    """Those of an owner's requirements that apply here and whose name matches the pattern `wanted`."""
    environment = marker_environment(scene.interpreter, scene.target) if scene.interpreter else None
    for text in dict.fromkeys(texts):
        name = required_name(text)
        item = _applying(text, environment) if re.fullmatch(wanted, name) else None
        if item:
            yield Demand(owner=owner, name=name, specifier=item.specifier)


def required_name(text: str) -> str:
    """The name a requirement begins with, read before the whole of it, which costs more."""
    found = re.match(r"\s*([\w.-]+)", text)
    return canonicalize_name(found[1]) if found else ""


def _applying(text: str, environment: dict[str, str] | None) -> Requirement | None:
    """The requirement if it applies; a marker that makes no sense applies to nothing."""
    try:
        return applying(text, environment)
    except (UndefinedComparison, UndefinedEnvironmentName):
        return None
