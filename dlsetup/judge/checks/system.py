"""The system around: shared memory of a container, the C library, sources that disagree."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.container_tools import words_of
from dlsetup.judge.evidence import of_container
from dlsetup.judge.hints import resolve
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Installed, Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.machine import Sighting
from dlsetup.model.record import Unknown
from dlsetup.rules.wheels import platform_fits, platform_of

SMALL = 64 * 1024 * 1024
"""What Docker gives a container unless it is told otherwise."""
SHARED_MEMORY_FULL = ("dataloader-bus-error", "nccl-shared-memory-full")
"""Messages of programs that found no room in it."""
COMPARED = re.compile(r"driver\.(module|userland|cuda_ceiling)|gpu\[\d+\]\.(name|compute_capability)")


@check("shm-too-small")
def little_shared_memory(scene: Scene) -> Iterator[Answer]:
    """The container has only the 64 MiB of /dev/shm that it gets by default, and nothing has failed of it."""
    size = scene.machine.system.shm_bytes
    if scene.messages(*SHARED_MEMORY_FULL):
        return
    if not scene.in_container or not isinstance(size, int) or size > SMALL:
        return
    yield Finding(
        id="shm-too-small",
        severity="note",
        title=f"/dev/shm has {size // 2**20} MiB",
        because="Data loaders with workers and NCCL share memory through it and may fail with a bus error.",
        evidence=(
            *of_container(scene),
            Evidence(fact="/dev/shm", value=f"{size} bytes", source="the system"),
        ),
        remedies=(
            Remedy(
                text=f"Start the container with {words_of(scene).memory}.",
                scope="container-host",
            ),
        ),
    )


@check("glibc-too-old")
def wheel_for_newer_glibc(scene: Scene) -> Iterator[Answer]:
    """An installed wheel was made for a newer C library than the system has."""
    for installed in scene.leading:
        platforms = _platforms(installed)
        if scene.target.os == "linux" and platforms and all(_needs_newer(scene, item) for item in platforms):
            yield Finding(
                id="glibc-too-old",
                severity="error",
                title=f"{installed.title} is made for a newer C library than this system has",
                because=f"Its wheel is for {platforms[0]}, and this is {platform_of(scene.target)}.",
                evidence=(
                    Evidence(fact="wheel", value=platforms[0], source=installed.distribution.location),
                ),
                remedies=(
                    Remedy(
                        text="Install a release whose wheel fits this system.",
                        commands=resolve(scene, [installed.framework.name]),
                    ),
                ),
            )


@check("sources-disagree")
def sources_disagree(scene: Scene) -> Iterator[Answer]:
    """Two sources say different things of one fact."""
    said: dict[str, list[Sighting]] = {}
    for item in scene.machine.sightings:
        if COMPARED.fullmatch(item.fact) and not (scene.in_wsl and item.fact.startswith("driver.")):
            said.setdefault(item.fact, []).append(item)
    for fact, words in said.items():
        if len({_plain(item.value) for item in words}) > 1:
            yield Finding(
                id="sources-disagree",
                severity="warning",
                title=f"Sources disagree about {fact}",
                because="; ".join(f"{item.source} says {item.value}" for item in words) + ".",
                evidence=tuple(Evidence(fact=fact, value=item.value, source=item.source) for item in words),
                remedies=(
                    Remedy(
                        text="Restart the machine if the driver was updated, then look again.", scope="host"
                    ),
                ),
            )


def _platforms(installed: Installed) -> list[str]:
    tags = installed.distribution.tags
    return [] if isinstance(tags, Unknown) else [tag.split("-")[-1] for tag in tags]


def _needs_newer(scene: Scene, platform: str) -> bool:
    """Whether the C library alone speaks against the platform: the processor is right."""
    wanted = re.search(r"manylinux[^.]*_([a-z]\w*)$", platform)
    return (
        bool(wanted)
        and platform.endswith(str(scene.target.arch))
        and platform_fits(platform, scene.target).refused
    )


def _plain(value: str) -> str:
    """The value without what sources write differently: case, the brand, zeros that mean nothing."""
    return re.sub(r"(\.0+)+$", "", value.strip().lower().removeprefix("nvidia ").removeprefix("geforce "))
