"""A lock held against machines: the rules by which it was chosen, asked again."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlsetup.catalog.load import load
from dlsetup.intake.lock import parse
from dlsetup.intake.target import parse as target
from dlsetup.judge.locked import judge_lock
from dlsetup.model.finding import Diagnosis
from dlsetup.model.framework import Catalog

LINUX = "os=linux,arch=x86_64,glibc=2.35,python=3.12"
TORCH = "torch-2.14.1+{0}-cp312-cp312-manylinux_2_28_x86_64.whl"
CUDNN_12 = "nvidia_cudnn_cu12-9.10.2.21-py3-none-manylinux_2_27_x86_64.whl"
CUDNN_13 = "nvidia_cudnn_cu13-9.24.0.43-py3-none-manylinux_2_27_x86_64.whl"


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load(["torch"])


def judged(catalog: Catalog, words: str, *files: str) -> Diagnosis:
    text = "".join(
        f"{file.split('-')[0]} @ https://wheels.example/{file} --hash=sha256:0\n" for file in files
    )
    return judge_lock(parse(text, Path("lock.txt")), target(words), catalog)


def errors(diagnosis: Diagnosis) -> set[str]:
    return {item.id for item in diagnosis.findings if item.severity == "error"}


def test_a_lock_that_serves_has_no_error(catalog: Catalog) -> None:
    found = judged(catalog, f"{LINUX},driver=535.129.03,gpu=RTX 4090", TORCH.format("cu126"), CUDNN_12)
    assert errors(found) == set()


def test_a_driver_too_old(catalog: Catalog) -> None:
    found = judged(catalog, f"{LINUX},driver=535.129.03,gpu=RTX 4090", TORCH.format("cu130"), CUDNN_13)
    assert errors(found) == {"lock-driver"}
    error = next(item for item in found.findings if item.severity == "error")
    assert "580" in error.because
    assert error.rests_on


def test_a_gpu_without_code(catalog: Catalog) -> None:
    found = judged(catalog, f"{LINUX},driver=580.65.06,gpu=V100", TORCH.format("cu130"), CUDNN_13)
    assert "lock-gpu" in errors(found)


def test_an_unknown_gpu_refuses_nothing_and_is_named(catalog: Catalog) -> None:
    found = judged(catalog, f"{LINUX},driver=580.65.06", TORCH.format("cu130"), CUDNN_13)
    assert errors(found) == set()
    assert any("GPU" in gap.reason for gap in found.unknown)


def test_libraries_that_overwrite_each_other(catalog: Catalog) -> None:
    files = (TORCH.format("cu126"), CUDNN_12, CUDNN_13)
    assert "lock-overlap" in errors(judged(catalog, f"{LINUX},driver=580.65.06,gpu=A100", *files))


def test_an_exact_pin_that_is_not_kept(catalog: Catalog) -> None:
    other = "nvidia_cudnn_cu12-9.1.0.70-py3-none-manylinux_2_27_x86_64.whl"
    found = judged(catalog, f"{LINUX},driver=580.65.06,gpu=A100", TORCH.format("cu126"), other)
    assert "lock-pin" in errors(found)


def test_a_gpu_that_would_stay_idle_and_a_device_that_is_not_there(catalog: Catalog) -> None:
    idle = judged(catalog, f"{LINUX},driver=580.65.06,gpu=A100", TORCH.format("cpu"))
    assert "lock-gpu-idle" in {item.id for item in idle.findings}
    lacking = judged(catalog, f"{LINUX},driver=none,gpu=none", TORCH.format("cu126"), CUDNN_12)
    assert "lock-without-device" in {item.id for item in lacking.findings}
    assert errors(lacking) == set()


def test_a_name_without_a_variant_is_the_build_of_its_system(catalog: Catalog) -> None:
    """torch without a local version: CUDA 13 on Linux, and no CUDA on macOS."""
    file = "torch-2.14.1-cp312-cp312-manylinux_2_28_x86_64.whl"
    found = judged(catalog, f"{LINUX},driver=535.129.03,gpu=RTX 4090", file, CUDNN_13)
    assert errors(found) == {"lock-driver"}
    mac = "torch-2.14.1-cp312-none-macosx_14_0_arm64.whl"
    assert errors(judged(catalog, "os=macos,arch=arm64,macos=14.5,python=3.12", mac)) == set()
