"""Folders of LD_LIBRARY_PATH that come before, or instead of, the folders of wheels."""

from __future__ import annotations

import re

from dlsetup.judge.scene import Scene

NAME = "LD_LIBRARY_PATH"
_HOLDS_CUDA = re.compile(
    r"cuda|hpc_sdk|nvhpc|conda|/envs/|/usr/lib|/usr/local/lib|nccl|cudnn|tensorrt|\$CONDA_PREFIX|miniforge|mambaforge",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"site-packages|dist-packages|\$\{?CUDNN_PATH|/usr/lib/wsl|/usr/local/nvidia|nvidia/\w+/lib"
)
"""Folders of wheels, and those where the driver's own libraries lie."""


def foreign_folders(scene: Scene) -> tuple[str, ...]:
    """Folders in which other copies of CUDA libraries may lie, in front of those of wheels."""
    value = scene.machine.variable(NAME)
    if not isinstance(value, str):
        return ()
    found: list[str] = []
    for folder in value.split(":"):
        if _OWN.search(folder):
            break
        if _HOLDS_CUDA.search(folder):
            found.append(folder)
    return tuple(found)
