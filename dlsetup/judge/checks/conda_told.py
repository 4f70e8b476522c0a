"""conda where images are built: no driver is in view, so no CUDA package is chosen."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.evidence import of_framework, of_message, of_observation
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.report import Message


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
        remedies=(_told_of_cuda(scene, "micromamba install -c conda-forge pytorch-gpu"),),
    )


@check("conda-virtual-cuda-missing-at-build", told=True)
def asks_for_driver(scene: Scene) -> Iterator[Answer]:
    """A package asks for the virtual package `__cuda`, and conda or pixi sees no driver."""
    messages = scene.messages("conda-no-virtual-cuda")
    if not messages:
        return
    tool = "pixi" if _by_pixi(scene, messages) else "conda"
    again = "pixi install" if tool == "pixi" else "conda env create -f environment.yml"
    yield Finding(
        id="conda-virtual-cuda-missing-at-build",
        severity="error",
        title=f"{tool} solves on a machine without an NVIDIA driver",
        because=f"A package asks for the virtual package `__cuda`, which {tool} derives from a driver; where "
        "images are built and in CI there is none.",
        evidence=tuple(map(of_message, messages[:3])),
        remedies=(_told_of_cuda(scene, again, tool),),
        rests_on=scene.sources(("conda-virtual-packages",)),
    )


def _by_pixi(scene: Scene, messages: tuple[Message, ...]) -> bool:
    report = scene.machine.report
    return (
        any(item.subject.startswith("pixi.") for item in report.observations)
        or any("pixi" in item.words[:2] for item in report.commands)
        or any("The project requires" in item.text for item in messages)
    )


def _told_of_cuda(scene: Scene, again: str, tool: str = "conda") -> Remedy:
    """The CUDA that is asked for, in the recipe of an image or before the command."""
    cuda = _asked_cuda(scene)
    built = any(item.kind == "dockerfile" for item in scene.machine.report.containers)
    setting = f"CONDA_OVERRIDE_CUDA={cuda}"
    command = f"ENV {setting}" if built else f"{setting} {again}"
    recipe = "" if built else f" (in the recipe of an image: `ENV {setting}`)"
    text = f"Tell {tool} for which CUDA it solves{recipe}."
    return Remedy(text=text, commands=(command,), scope="project")


def _asked_cuda(scene: Scene) -> str:
    """By pixi's `system-requirements` or the packages that name it; else one that has builds everywhere."""
    seen = scene.observed("pixi.system-requirements.cuda")
    asked = (
        item.specifier
        for item in scene.machine.report.asked
        if item.name in ("pytorch-cuda", "cuda-version", "cudatoolkit")
    )
    texts = (seen.value if seen else "", *asked)
    return next((found[0] for text in texts if (found := re.search(r"\d{1,2}\.\d", text))), "12.4")
