"""Slices of one GPU: what a process sees of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.evidence import of_framework, of_gpus, of_observation, of_variable
from dlsetup.judge.hints import resolve
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.judge.visible import VISIBLE
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.report import Observation

COUNTS = ("torch.cuda.device_count", "cuda.device_count")
BROKEN = "1.13"
"""Releases of torch that count devices through NVML and do not know the ids of slices."""


@check("torch-mig-device-count-bug")
def counted_as_none(scene: Scene) -> Iterator[Answer]:
    """torch 1.13 counts no device where one slice is chosen by its id."""
    torch = scene.framework("torch")
    value = scene.machine.variable(VISIBLE)
    if torch is None or not isinstance(value, str) or not value.startswith("MIG-"):
        return
    if not torch.distribution.version.public.startswith(f"{BROKEN}."):
        return
    count = _count(scene)
    if count is not None and count.value != "0":
        return
    yield Finding(
        id="torch-mig-device-count-bug",
        severity="error",
        title=f"{torch.title} counts no GPU where a MIG slice is chosen",
        because=f"torch {BROKEN} counts devices through NVML and does not understand `{VISIBLE}=MIG-…`: "
        "the count is 0 although CUDA itself works; 1.12.1 and 2.0 count right.",
        evidence=(of_framework(torch), of_variable(scene, VISIBLE), *_counted(count)),
        remedies=(
            Remedy(
                text="Install torch 2.0 or newer.",
                commands=resolve(scene, ["torch>=2.0"]),
            ),
            Remedy(text=f"Or leave {VISIBLE} unset: the first slice is then taken.", scope="project"),
        ),
        rests_on=scene.sources(("torch-mig-count",)),
    )


@check("mig-one-instance-per-process")
def one_slice(scene: Scene) -> Iterator[Answer]:
    """Several slices are there or chosen, and a process sees one."""
    value = scene.machine.variable(VISIBLE)
    chosen = len(re.findall(r"MIG-", value)) if isinstance(value, str) else 0
    listed = sum(gpu.mig_instances for gpu in scene.gpus("nvidia") if isinstance(gpu.mig_instances, int))
    count = _count(scene)
    if max(chosen, listed) < 2 or count is None or count.value != "1":
        return
    variable = (of_variable(scene, VISIBLE),) if chosen else ()
    yield Finding(
        id="mig-one-instance-per-process",
        severity="error",
        title="A process sees one MIG slice only",
        because="CUDA enumerates a single slice for each process, whatever their number: this is how MIG "
        "works, and neither the driver nor the framework is at fault.",
        evidence=(*of_gpus(scene, scene.gpus("nvidia")), *variable, *_counted(count)),
        remedies=(
            Remedy(
                text="Start one process for each slice, each with the id of its own (from `nvidia-smi -L`).",
                commands=("nvidia-smi -L",),
                scope="project",
            ),
            Remedy(
                text="For work over the whole GPU, or NCCL between slices, switch MIG off.",
                commands=("sudo nvidia-smi -mig 0",),
                scope="host",
            ),
        ),
        rests_on=scene.sources(("mig-guide",)),
    )


def _count(scene: Scene) -> Observation | None:
    return next((seen for name in COUNTS if (seen := scene.observed(name))), None)


def _counted(count: Observation | None) -> tuple[Evidence, ...]:
    return (of_observation(count),) if count else ()
