"""Files that ask for packages, and leave open what then went wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.evidence import of_framework
from dlsetup.judge.installers import asked_of, of_asked
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.report import Asked

NO_CODE = ("no-kernel-image", "torch-gpu-not-served", "torch-gpu-too-old", "torch-gpu-below-floor")
"""Messages that say that a build holds no code for the GPU."""


@check("unpinned-torch", "unpinned-cuda-variant", "unpinned-numpy", told=True)
def unpinned(scene: Scene) -> Iterator[Answer]:
    """A file that asks for a framework, and leaves open what went wrong."""
    asked = {item.name: item for item in asked_of(scene, "pip")}
    torch, numpy = asked.get("torch"), asked.get("numpy")
    if torch is not None and not torch.index:
        yield from _torch(scene, torch)
    if numpy is not None and scene.messages("numpy-1-module", "numpy-1-fails") and not _is_bounded(numpy):
        because = "numpy has no upper bound, so NumPy 2 came beside code that was compiled for NumPy 1."
        yield _open(scene, "unpinned-numpy", numpy, because)


def _torch(scene: Scene, torch: Asked) -> Iterator[Finding]:
    """Of torch from the default index: no version, or a version without its CUDA build."""
    if not torch.specifier and scene.messages("torch-driver-too-old", "cuda-insufficient-driver"):
        because = "Neither a version nor an index is named, so the newest build for the newest CUDA came."
        yield _open(scene, "unpinned-torch", torch, because)
    if re.fullmatch(r"==[\d.]+", torch.specifier) and scene.messages(*NO_CODE):
        because = "The version is pinned and its CUDA build is not, so the default build of the index came."
        yield _open(scene, "unpinned-cuda-variant", torch, because)


def _is_bounded(item: Asked) -> bool:
    return "<" in item.specifier or item.specifier.startswith("==")


def _open(scene: Scene, finding: str, item: Asked, because: str) -> Finding:
    text = "Say it in the file: the version, and for torch the index of its CUDA build."
    return Finding(
        id=finding,
        severity="warning",
        title=f"`{item.name}{item.specifier}` leaves open what matters here",
        because=because,
        evidence=(
            of_asked(item),
            *(of_framework(one) for one in scene.installed if one.framework.name == item.name),
        ),
        remedies=(Remedy(text=text, scope="project"),),
    )
