"""Facts of the real world, small: enough toolkits, branches and GPUs to ask every rule."""

from __future__ import annotations

import pytest
from small_hardware import driver_branches, driver_floors, gpu_models, newer_cudnn

from dlsetup.model.hardware import CudaToolkit, Hardware, Overlap
from dlsetup.model.versions import ComputeCapability, CudaVersion, DriverRelease

TOOLKITS = (
    ("10.2", "440.33", "441.22", "3.0"),
    ("11.0", "450.51.06", "451.82", "3.5"),
    ("11.8", "520.61.05", "520.06", "3.5"),
    ("12.0", "525.60.13", "527.41", "5.0"),
    ("12.6", "560.28.03", "560.76", "5.0"),
    ("12.8", "570.26", "570.65", "5.0"),
    ("13.0", "580.65.06", None, "7.5"),
    ("13.2", "595.45.04", None, "7.5"),
)
FLOORS = ((11, "450.80.02", "452.39"), (12, "525.60.13", "528.33"), (13, "580", "580"))
BRANCHES = (
    (450, "11.0", "3.0"),
    (470, "11.4", "3.5"),
    (520, "11.8", "5.0"),
    (525, "12.0", "5.0"),
    (535, "12.2", "5.0"),
    (560, "12.6", "5.0"),
    (570, "12.8", "5.0"),
    (580, "13.0", "5.0"),
    (590, "13.1", "7.5"),
    (595, "13.2", "7.5"),
)
GPUS = (
    ("GeForce GTX 1080 Ti", "6.1"),
    ("Tesla V100", "7.0"),
    ("NVIDIA A100", "8.0"),
    ("GeForce RTX 4090", "8.9"),
    ("GeForce RTX 5090", "12.0"),
    ("NVIDIA T4", "7.5"),
)


@pytest.fixture(scope="session")
def hardware() -> Hardware:
    return Hardware(
        toolkits=tuple(_toolkit(*row) for row in TOOLKITS),
        floors=driver_floors(FLOORS, "release-notes"),
        branches=driver_branches(BRANCHES),
        gpus=gpu_models(GPUS, "vendor-list"),
        libraries=(newer_cudnn("cudnn-matrix"),),
        overlaps=(
            Overlap(
                distributions=("nvidia-cudnn-cu11", "nvidia-cudnn-cu12", "nvidia-cudnn-cu13"),
                path="nvidia/cudnn",
                source="wheel-listing",
            ),
        ),
    )


def _toolkit(version: str, linux: str, windows: str | None, least: str) -> CudaToolkit:
    known = {} if windows is None else {"driver_windows": DriverRelease(windows)}
    return CudaToolkit(
        version=CudaVersion(version),
        driver_linux=DriverRelease(linux),
        min_capability=ComputeCapability(least),
        source="release-notes",
        **known,
    )
