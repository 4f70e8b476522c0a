"""AMD GPUs: their architecture by what they say or by name, and the builds that hold code for it."""

from __future__ import annotations

import msgspec
import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.model.framework import Build, Wheels
from dlsetup.model.hardware import AmdModel, Hardware
from dlsetup.model.machine import Gpu
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.target import Target
from dlsetup.rules.gpus import gfx_of
from dlsetup.rules.kernels import kernels_run_on

HARDWARE = Hardware(
    amd=(
        AmdModel(name="AMD Instinct MI300X", gfx="gfx942", source="s"),
        AmdModel(name="AMD Radeon RX 7900 XTX", gfx="gfx1100", source="s"),
        AmdModel(name="AMD Radeon RX 7900 XT", gfx="gfx1100", source="s"),
        AmdModel(name="AMD Radeon RX 6800 XT", gfx="gfx1030", source="s"),
    )
)
BUILD = Build(
    framework="torch",
    version=Version("2.10.0"),
    variant="rocm7.1",
    accelerator="rocm",
    wheels=(Wheels(pythons=("cp312",), platform="manylinux_2_28_x86_64"),),
    requires_python=SpecifierSet(),
    index="pytorch-rocm7.1",
    requirements=("torch==2.10.0+rocm7.1",),
    gfx=("gfx90a", "gfx942", "gfx1100"),
    sources=("s",),
)


def gpu(name: str | Unknown = UNKNOWN, arch: str | Unknown = UNKNOWN) -> Gpu:
    return Gpu(vendor="amd", name=name, arch=arch, compute_capability=None)


@pytest.mark.parametrize(
    ("name", "gfx"),
    [
        ("MI300X", "gfx942"),
        ("AMD Instinct MI300X", "gfx942"),
        ("Radeon RX 7900 XTX", "gfx1100"),
        ("rx 7900 xtx", "gfx1100"),
        ("7900 XT", "gfx1100"),
        ("XT", UNKNOWN),
        ("Radeon", UNKNOWN),
        ("RX 580", UNKNOWN),
    ],
)
def test_architecture_by_product_name(name: str, gfx: str | Unknown) -> None:
    assert gfx_of(gpu(name), HARDWARE) == gfx


def test_what_the_gpu_says_counts_more_than_its_name() -> None:
    assert gfx_of(gpu("MI300X", "gfx90a"), HARDWARE) == "gfx90a"


@pytest.mark.parametrize(
    ("seen", "answer"),
    [
        (gpu("MI300X"), "yes"),
        (gpu(arch="gfx1100"), "yes"),
        (gpu(arch="gfx1031"), "no"),
        (gpu("RX 6800 XT"), "no"),
        (gpu("RX 580"), "unknown"),
        (gpu(), "unknown"),
    ],
)
def test_a_build_runs_on_what_it_was_made_for(seen: Gpu, answer: str) -> None:
    assert kernels_run_on(BUILD, seen, Target(), HARDWARE).answer == answer


def test_a_build_of_which_no_row_tells_is_unknown() -> None:
    build = msgspec.structs.replace(BUILD, gfx=UNKNOWN)
    verdict = kernels_run_on(build, gpu(arch="gfx1100"), Target(), HARDWARE)
    assert verdict.answer == "unknown"
    assert "gfx1100" in verdict.because
