"""From a framework to its rows: every build of every release, and how it stands on a target."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from msgspec.structs import replace
from packaging.specifiers import SpecifierSet

from dlsetup.catalog.platforms import families
from dlsetup.intake.target import describe
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Accelerator, Build, Catalog, Framework
from dlsetup.model.record import UNKNOWN
from dlsetup.model.standing import Standing
from dlsetup.model.target import Target
from dlsetup.model.versions import ComputeCapability
from dlsetup.resolve.standing import capabilities_served, pythons_served, standings
from dlsetup.show.catalog_document import BuildRow, FrameworkRow, Matrix, ReleaseRow

ACCELERATORS: tuple[Accelerator, ...] = ("cuda", "rocm", "tpu", "ascend", "xpu", "directml", "mps", "cpu")


def matrix_of(
    framework: Framework, wanted: SpecifierSet, target: Target, catalog: Catalog, newest: int | None = None
) -> Matrix:
    """The releases that are wanted; `newest`: so many of them, None: all.

    Raises `UsageError` where the catalog has none.
    """
    every = [build for build in framework.builds if wanted.contains(build.version, prereleases=True)]
    if not every:
        raise _none_of(framework, wanted)
    versions = list(dict.fromkeys(build.version for build in every))
    shown = set(versions[:newest])
    builds = [build for build in every if build.version in shown]
    rows = zip(standings(builds, target, catalog), _served(builds, catalog), strict=True)
    releases = groupby(rows, key=lambda pair: pair[0].build.version)
    return Matrix(
        name=framework.name,
        title=framework.title,
        target=target.name,
        target_words=words_of(target),
        known_to=framework.known_to,
        ended=framework.ended,
        checked=catalog.checked,
        asked=len(versions),
        variants=tuple(dict.fromkeys(build.variant for build in sorted(builds, key=rank))),
        releases=tuple(
            _release(sorted(pairs, key=lambda pair: rank(pair[0].build))) for _, pairs in releases
        ),
    )


def framework_row(framework: Framework) -> FrameworkRow:
    """A framework in one line."""
    builds = framework.builds
    good = [build for build in builds if not build.prerelease and not build.yanked]
    newest = good[0] if good else None
    latest = [build for build in good if newest and build.version == newest.version]
    return FrameworkRow(
        name=framework.name,
        title=framework.title,
        newest=newest.version if newest else None,
        released=newest.released if newest else UNKNOWN,
        releases=len({build.version for build in builds}),
        builds=len(builds),
        variants=tuple(dict.fromkeys(item.variant for item in sorted(latest, key=rank))),
        known_to=framework.known_to,
        ended=framework.ended,
    )


def words_of(target: Target) -> str:
    """What `--target` takes for the same answer; the Pythons of this machine are not all there can be."""
    return describe(replace(target, pythons=UNKNOWN) if target.name == Target().name else target)


def _none_of(framework: Framework, wanted: SpecifierSet) -> UsageError:
    known = [build.version for build in framework.builds if not build.prerelease]
    if not known:
        return UsageError(
            f"the catalog has no release of {framework.name}",
            hint=f"`dlsetup catalog refresh {framework.name}` asks the package index for them",
        )
    return UsageError(
        f"the catalog has no release of {framework.name} that is {wanted}",
        hint=f"it has {min(known)} to {max(known)}",
    )


def rank(build: Build) -> tuple[int, list[int], str]:
    """The order in which variants stand beside each other."""
    numbers = [-int(number) for number in re.findall(r"\d+", build.variant)]
    return ACCELERATORS.index(build.accelerator), numbers, build.variant


def _release(pairs: Sequence[tuple[Standing, tuple[ComputeCapability, ...]]]) -> ReleaseRow:
    build = pairs[0][0].build
    return ReleaseRow(
        version=build.version,
        released=build.released,
        yanked=build.yanked,
        prerelease=build.prerelease,
        beyond=any(standing.build.beyond for standing, _ in pairs),
        builds=tuple(_build(standing, served) for standing, served in pairs),
    )


def _build(standing: Standing, served: tuple[ComputeCapability, ...]) -> BuildRow:
    build = standing.build
    return BuildRow(
        variant=build.variant,
        accelerator=build.accelerator,
        cuda=build.cuda,
        index=build.index,
        requirements=build.requirements,
        pythons=pythons_served(build),
        platforms=tuple(dict.fromkeys(name for item in build.wheels for name in families(item.platform))),
        kernels=build.kernels,
        ptx=build.ptx,
        gfx=build.gfx,
        serves=served,
        expects=build.expects,
        from_source=build.from_source,
        answer=standing.answer,
        rule=standing.rule,
        because=standing.because,
    )


def _served(builds: Sequence[Build], catalog: Catalog) -> list[tuple[ComputeCapability, ...]]:
    """For which GPUs each build holds code. Builds with the same code inside are asked once."""
    known: dict[tuple[object, ...], tuple[ComputeCapability, ...]] = {}
    found = []
    for build in builds:
        inside = (build.kernels, build.exact, build.ptx, build.cuda, build.min_capability)
        if inside not in known:
            known[inside] = capabilities_served(build, catalog.hardware)
        found.append(known[inside])
    return found
