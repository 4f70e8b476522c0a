"""Whether a GPU is meant to be used, by all that a machine or a report shows of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.evidence import of_gpus, of_message
from dlsetup.judge.installers import CUDA_INDEX, of_asked
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence
from dlsetup.model.record import Unknown
from dlsetup.model.report import Asked

CUDA_PACKAGES = ("cudatoolkit", "pytorch-cuda", "cuda-version")
"""What conda is asked for, or installs, for builds with CUDA."""
COMPLAINTS = ("torch-without-cuda", "you-have-cpu-torch", "horovod-needs-cuda-torch")
"""Messages of programs that wanted a GPU."""


def gpu_is_meant(scene: Scene) -> tuple[Evidence, ...]:
    """What shows that somebody wants an NVIDIA GPU to be used; empty: nothing does."""
    return tuple(_signs(scene))


def _signs(scene: Scene) -> Iterator[Evidence]:
    yield from of_gpus(scene, scene.reachable_nvidia)
    yield from (of_message(item) for item in scene.messages(*COMPLAINTS)[:2])
    yield from (of_asked(item) for item in asked_cuda(scene)[:2])
    for item in scene.distributions:
        if item.name in CUDA_PACKAGES:
            yield Evidence(fact=item.name, value=str(item.version), source=item.found_via)
    for box in scene.machine.report.containers:
        if isinstance(box.image, str) and re.search(r"cuda|nvidia", box.image):
            yield Evidence(fact="image", value=box.image, source=box.source)
    if not isinstance(scene.machine.driver, Unknown) and scene.machine.driver is not None:
        yield Evidence(fact="NVIDIA driver", value="is there", source=scene.machine.driver.found_via)


def asked_cuda(scene: Scene) -> list[Asked]:
    """What asks for CUDA: conda's packages for it, an index of CUDA builds."""
    return [
        item
        for item in scene.machine.report.asked
        if item.name in CUDA_PACKAGES or CUDA_INDEX.search(item.index) or "+cu" in item.specifier
    ]
