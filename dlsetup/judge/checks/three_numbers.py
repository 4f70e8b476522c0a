"""Three CUDA numbers that people compare, and that need not agree."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.evidence import of_driver, of_framework, of_observation
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.judge.told_devices import torch_uses_gpu
from dlsetup.model.finding import Finding
from dlsetup.model.record import Unknown
from dlsetup.model.versions import CudaVersion


@check("cuda-numbers-differ")
def numbers(scene: Scene) -> Iterator[Answer]:
    """Driver, toolkit and wheel name different CUDA versions on a machine where CUDA works."""
    torch, works = scene.framework("torch"), torch_uses_gpu(scene)
    if torch is None or works is None or not isinstance(torch.cuda, CudaVersion):
        return
    ceiling = scene.target.cuda_ceiling
    toolkits = () if isinstance(scene.machine.toolkits, Unknown) else scene.machine.toolkits
    known = [item.version.line for item in toolkits if isinstance(item.version, CudaVersion)]
    if isinstance(ceiling, Unknown) or not known or {*known, ceiling.line} == {torch.cuda.line}:
        return
    yield Finding(
        id="cuda-numbers-differ",
        severity="note",
        title=f"Driver ({ceiling}), toolkit ({known[0]}) and wheel ({torch.cuda}) differ in their CUDA",
        because="The wheel brings its own CUDA, the driver only has to be new enough, and the toolkit only "
        "compiles: the numbers need not agree.",
        evidence=(*of_driver(scene), of_framework(torch), of_observation(works)),
    )
