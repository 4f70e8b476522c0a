"""CUDA libraries in wheels whose version a framework does not accept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from packaging.version import Version

from dlsetup.judge.commands import install
from dlsetup.judge.demands import Demand, demands
from dlsetup.judge.evidence import of_demand, of_distribution, of_gpus
from dlsetup.judge.exchange import own_environment
from dlsetup.judge.hints import resolve
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.framework import Build
from dlsetup.model.machine import Distribution
from dlsetup.rules.kernels import serves_every_gpu
from dlsetup.rules.libraries import library_serves, versions_exist, versions_of

CUDNN = r"nvidia-cudnn-cu\d+"
PINNED = r"nvidia-[\w-]+"


@check("two-frameworks-share-cudnn")
def pins_disagree(scene: Scene) -> Iterator[Answer]:
    """Two frameworks ask for versions of one CUDA library that exclude each other."""
    asked = [item for item in demands(scene, PINNED) if not item.owner.name.startswith(("nvidia-", "cuda-"))]
    seen: set[tuple[str, str]] = set()
    for one, two in combinations(asked, 2):
        pair = (one.owner.name, two.owner.name)
        if one.name != two.name or pair[0] == pair[1] or pair in seen or not _exclude(scene, one, two):
            continue
        seen.add(pair)
        yield Finding(
            id="two-frameworks-share-cudnn",
            severity="error" if any(_breaks(scene, item) for item in (one, two)) else "warning",
            title=f"{pair[0]} and {pair[1]} need different versions of {one.name}",
            because=f"{one.text}, and {two.text}: one environment holds only one of them.",
            evidence=(
                *(of_distribution(item) for item in scene.copies(one.name)),
                of_demand(one),
                of_demand(two),
            ),
            remedies=tuple(_apart(scene, pair)),
        )


@check("cudnn-major-mismatch", "cudnn-too-old-at-runtime")
def cudnn_too_old(scene: Scene) -> Iterator[Answer]:
    """The installed cuDNN is of another major, or older, than a framework asks for."""
    for demand in demands(scene, CUDNN):
        installed = next(iter(scene.copies(demand.name)), None)
        if installed is None or not _breaks(scene, demand):
            continue
        other_major = demand.floor is not None and demand.floor.major != installed.version.major
        yield Finding(
            id="cudnn-major-mismatch" if other_major else "cudnn-too-old-at-runtime",
            severity="error",
            title=f"cuDNN {installed.version} does not serve {demand.owner.name} {demand.owner.version}",
            because=f"{demand.text}, and {installed.version} is installed.",
            evidence=(of_distribution(installed), of_demand(demand)),
            remedies=(
                Remedy(
                    text=f"Install the version of {demand.name} that {demand.owner.name} asks for.",
                    commands=install(scene, [f"{demand.name}{demand.specifier}"]),
                ),
            ),
        )


@check("gpu-too-old-for-cudnn")
def dropped_by_cudnn(scene: Scene) -> Iterator[Answer]:
    """The installed cuDNN no longer supports a GPU that is in use here."""
    for cudnn in (item for item in scene.distributions if re.fullmatch(CUDNN, item.name)):
        verdict = library_serves(cudnn.name, cudnn.version, scene.target, scene.catalog.hardware)
        if not verdict.refused or not scene.reachable_nvidia or _refused_already(scene, cudnn):
            continue
        older = _serving_version(scene, cudnn.name)
        pin = f"{cudnn.name}=={older}"
        commands = install(scene, [pin]) if older else ()
        text = f"Install {pin}, the newest that serves it."
        yield Finding(
            id="gpu-too-old-for-cudnn",
            severity="error",
            title=f"cuDNN {cudnn.version} does not support this GPU",
            because=f"{verdict.because}.",
            evidence=(of_distribution(cudnn), *of_gpus(scene, scene.reachable_nvidia)),
            remedies=(
                Remedy(text=text if older else "Take releases that admit an older cuDNN.", commands=commands),
            ),
            rests_on=scene.sources(verdict.sources),
        )


def _refused_already(scene: Scene, cudnn: Distribution) -> bool:
    """Whether the GPU cannot run the frameworks of that CUDA major anyway, which is said elsewhere."""
    builds = [item.build for item in scene.leading if isinstance(item.build, Build)]
    same = [build for build in builds if build.cuda and cudnn.name.endswith(f"-cu{build.cuda.major}")]
    hardware = scene.catalog.hardware
    return bool(same) and all(serves_every_gpu(build, scene.target, hardware).refused for build in same)


def _serving_version(scene: Scene, name: str) -> Version | None:
    """The newest version that supports every GPU and is admitted by all that ask for it."""
    asked = list(demands(scene, re.escape(name)))
    known = versions_of(name, scene.catalog) or ()
    fitting = (
        version
        for version in known
        if library_serves(name, version, scene.target, scene.catalog.hardware).ok
        and all(item.admits(version) for item in asked)
    )
    return max(fitting, default=None)


def _exclude(scene: Scene, one: Demand, two: Demand) -> bool:
    known = versions_of(one.name, scene.catalog)
    return versions_exist((one.specifier, two.specifier), known) == "no"


def _breaks(scene: Scene, demand: Demand) -> bool:
    """Whether the installed version is older than asked for, or of another major. A newer one of the same
    major serves: CUDA libraries keep to their interface within a major."""
    installed = next(iter(scene.copies(demand.name)), None)
    if installed is None or demand.floor is None or demand.admits(installed.version):
        return False
    return installed.version < demand.floor or installed.version.major != demand.floor.major


def _apart(scene: Scene, owners: Sequence[str]) -> Iterator[Remedy]:
    concerned = [item for item in scene.installed if item.distribution.name in owners]
    names = " and ".join(owners)
    if concerned:
        yield Remedy(
            text=f"Ask for releases of {names} that agree.",
            commands=resolve(scene, [item.framework.name for item in concerned]),
        )
        yield own_environment(concerned[-1])
    else:
        yield Remedy(text=f"Keep {names} in environments of their own.")
