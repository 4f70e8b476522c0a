"""A catalog that has been told what an installer found out: that picks of a plan do not go together."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from packaging.version import Version

from dlsetup.model.framework import Build, Catalog, Framework
from dlsetup.model.resolution import Pick


def taught(catalog: Catalog, refused: Sequence[Pick]) -> Catalog:
    """The catalog in which these picks are not chosen together again.

    One alone is left out. Of several the first asks for another release of the last, so that nothing
    else is forbidden; where there are more than two, a little more than needed is.
    """
    first, last = refused[0], refused[-1]
    if len(refused) == 1:
        changed = _changed(catalog, first, None)
    else:
        changed = _changed(catalog, first, f"{last.framework}!={last.version.public}")
    frameworks = (changed if item.name == changed.name else item for item in catalog.frameworks)
    return replace(catalog, frameworks=tuple(frameworks))


def taught_lines(catalog: Catalog, refused: Sequence[Pick]) -> Catalog:
    """The same for an installer that was asked for release lines (`2.14`): the whole line is meant."""
    first, last = refused[0], refused[-1]
    asks = None if len(refused) == 1 else f"{last.framework}!={_line(last.version)}.*"
    framework = catalog.framework(first.framework)
    if framework is None:
        raise ValueError(f"the catalog has no framework {first.framework}")
    own = next((item for item in framework.builds if _is(item, first)), None)
    builds: list[Build] = []
    for build in framework.builds:
        same_line = _line(build.version) == _line(first.version)
        meant = same_line and (own is None or build.accelerator == own.accelerator)
        if meant and asks is not None:
            builds.append(replace(build, requires=(*build.requires, asks)))
        elif not meant:
            builds.append(build)
    changed = replace(framework, builds=tuple(builds))
    frameworks = (changed if item.name == changed.name else item for item in catalog.frameworks)
    return replace(catalog, frameworks=tuple(frameworks))


def _is(build: Build, pick: Pick) -> bool:
    return (build.version, build.variant, build.index) == (pick.version, pick.variant, pick.index)


def _line(version: Version) -> str:
    return ".".join(map(str, version.release[:2]))


def _changed(catalog: Catalog, pick: Pick, asks: str | None) -> Framework:
    """The framework with one more requirement of that release; without the build where nothing is asked."""
    framework = catalog.framework(pick.framework)
    if framework is None:
        raise ValueError(f"the catalog has no framework {pick.framework}")
    builds: list[Build] = []
    for build in framework.builds:
        if asks is not None and build.version == pick.version:
            builds.append(replace(build, requires=(*build.requires, asks)))
        elif asks is not None or not _is(build, pick):
            builds.append(build)
    return replace(framework, builds=tuple(builds))
