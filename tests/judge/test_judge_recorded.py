"""Recorded machines: what each of them is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from judge_machines import ids

from dlsetup.intake.saved import read
from dlsetup.model.finding import Diagnosis
from dlsetup.model.machine import Machine

MACHINES = Path(__file__).parents[1] / "machines"
EXPECTED: dict[str, list[str]] = {
    "container-h100": [],
    "linux-aarch64-gh200": [],
    "linux-aarch64-jetson-orin": ["jetson-needs-nvidia-wheel"],
    "linux-amd-rx7900xtx": [],
    "linux-ascend-910b": [],
    "linux-cpu-torch-on-gpu": ["cpu-only-torch"],
    "linux-driver535-torch-cu130": ["driver-too-old"],
    "linux-mig-a100": [],
    "linux-mismatch-code18": ["nvml-driver-library-mismatch"],
    "linux-module-not-loaded": ["kernel-module-not-loaded"],
    "linux-no-gpu": [],
    "linux-rtx4090-driver535-torch-cu126": [],
    "linux-torch-cu130-jax-cuda12": ["mixed-cuda-majors"],
    "linux-two-gpus": ["gpu-arch-not-in-wheel"],
    "linux-v100-cu130": ["gpu-arch-not-in-wheel"],
    "macos-arm64-m2": [],
    "windows-native-rtx3060-tf": ["tensorflow-no-gpu-on-native-windows"],
    "wsl2-linux-driver-inside": ["wsl-linux-driver-shadows-windows-driver"],
    "wsl2-rtx4070": [],
}
"""Errors and warnings, the primary one first."""


@pytest.mark.parametrize("folder", sorted(path.parent.name for path in MACHINES.glob("*/machine.json")))
def test_it_is_told_what_is_wrong(folder: str, judged: Callable[[Machine], Diagnosis]) -> None:
    diagnosis = judged(read(MACHINES / folder / "machine.json"))
    assert ids(diagnosis, "error", "warning") == EXPECTED[folder]
    assert not [gap for gap in diagnosis.unknown if gap.fact.startswith("check ")]


def test_every_expectation_has_its_machine() -> None:
    assert {path.parent.name for path in MACHINES.glob("*/machine.json")} == set(EXPECTED)
