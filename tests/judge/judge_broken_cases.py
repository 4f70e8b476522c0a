"""Environments in which something broke off: one that trips each finding, and a near miss."""

from __future__ import annotations

from typing import Literal

from judge_machines import SITE, dist, machine, with_environment

from dlsetup.model.machine import Machine
from dlsetup.model.remains import Remains

TORCH = dist("torch", "2.14.1+cu126", "cu126")
CUDNN = dist("nvidia-cudnn-cu12", "9.10.2.21")
USER = "/home/ada/.local/lib/python3.11/site-packages"


def left(kind: Literal["emptied", "incomplete", "renamed"], example: str, distribution: str = "") -> Machine:
    found = Remains(kind=kind, distribution=distribution, location=SITE, example=example)
    return with_environment(machine(TORCH), remains=(found,))


BROKEN_CASES: dict[str, tuple[Machine, Machine]] = {
    "distribution-half-removed": (
        left("emptied", "torch/__init__.py", "torch"),
        left("incomplete", "torch/__init__.py", "torch"),
    ),
    "installed-files-gone": (
        left("incomplete", "torch/__init__.py", "torch"),
        left("renamed", "~orch-2.9.1.dist-info"),
    ),
    "installation-leftovers": (
        left("renamed", "~orch-2.9.1.dist-info"),
        with_environment(machine(TORCH), remains=()),
    ),
    "distribution-metadata-twice": (
        machine(TORCH, dist("torch", "2.9.1+cu126", "cu126")),
        machine(TORCH, TORCH, dist("numpy", "2.1.0"), dist("numpy", "1.26.4", location=USER)),
    ),
    "cuda-library-in-two-folders": (
        machine(TORCH, CUDNN, dist("nvidia-cudnn-cu12", "9.1.0.70", location=USER)),
        machine(TORCH, CUDNN, dist("nvidia-cudnn-cu12", "9.10.2.21", location=USER)),
    ),
}
