"""conda where images are built: no driver is in view, so no CUDA package is chosen."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.evidence import of_framework, of_observation
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Finding, Remedy


@check("conda-virtual-cuda-missing-at-build", told=True)
def solved_without_driver(scene: Scene) -> Iterator[Answer]:
    """A CPU build came out of conda in an image, or where conda sees no `__cuda`."""
    torch, seen = scene.framework("torch"), scene.observed("conda.virtual_packages")
    if torch is None or torch.variant != "cpu" or torch.distribution.installer != "conda":
        return
    built = any(item.kind in ("dockerfile", "cog", "apptainer") for item in scene.machine.report.containers)
    forge = "conda-forge" in str(torch.distribution.origin)
    blind = seen is not None and "__cuda" not in seen.value
    if not (blind and built and forge):
        return
    evidence = (of_framework(torch), *((of_observation(seen),) if seen else ()))
    yield Finding(
        id="conda-virtual-cuda-missing-at-build",
        severity="error",
        title="conda chose CPU builds because it saw no driver",
        because="Where an image is built there is no NVIDIA driver, so conda has no virtual package `__cuda` "
        "and conda-forge gives the CPU build.",
        evidence=evidence,
        remedies=(
            Remedy(
                text="Tell conda for which CUDA it solves.",
                commands=("CONDA_OVERRIDE_CUDA=12.4 micromamba install -c conda-forge pytorch-gpu",),
                scope="project",
            ),
        ),
    )
