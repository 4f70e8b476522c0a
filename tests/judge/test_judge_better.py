"""What a remedy offers where the driver or the system is not known, or knows an older CUDA than asked."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from fnmatch import fnmatch

import pytest
from judge_install_cases import FORGE_CPU
from judge_library_cases import reported, said
from judge_machines import commands, dist, driver, found, machine, nvidia, with_environment, wsl
from msgspec.structs import replace

from dlsetup.model.finding import Diagnosis
from dlsetup.model.machine import Machine
from dlsetup.model.record import UNKNOWN


@pytest.mark.parametrize(
    ("gpu", "capability", "torch", "variant", "offered"),
    [
        ("Tesla P100-PCIE-16GB", "6.0", "2.8.0+cu128", "cu128", "torch==2.8.0+cu126"),
        ("NVIDIA A100-SXM4-40GB", "8.0", "1.10.1+cu102", "cu102", "torch==2."),
    ],
)
def test_an_unknown_driver_is_not_an_unsuitable_one(
    gpu: str, capability: str, torch: str, variant: str, offered: str, judged: Callable[[Machine], Diagnosis]
) -> None:
    base = machine(dist("torch", torch, variant), gpus=(nvidia(gpu, capability),), driver=UNKNOWN)
    finding = found(judged(base), "gpu-arch-not-in-wheel")
    assert any(offered in command for command in commands(finding))
    assert not any("another GPU" in remedy.text for remedy in finding.remedies)


@pytest.mark.parametrize("release", ["551.78", "550.54.15"])
def test_an_image_is_served_by_a_driver_that_knows_its_cuda(
    release: str, judged: Callable[[Machine], Diagnosis]
) -> None:
    base = machine(driver=driver(release, "12.4"))
    refused = said("container-requires-cuda", cuda="12.8")
    report = replace(base.report, messages=(refused,))
    finding = found(judged(replace(base, report=report)), "driver-too-old")
    assert any("driver 570 or newer" in remedy.text for remedy in finding.remedies)


def test_a_build_that_only_one_of_two_systems_has_is_not_offered_where_the_system_is_unknown(
    judged: Callable[[Machine], Diagnosis],
) -> None:
    base = machine(
        dist("torch", "2.5.1+cu124", "cu124"),
        gpus=(nvidia("NVIDIA GeForce RTX 5090", "12.0"),),
        driver=driver("570.86.10", "12.8"),
    )
    unknown = replace(base, system=replace(base.system, os=UNKNOWN, arch=UNKNOWN))
    finding = found(judged(reported(unknown, said("no-kernel-image"))), "gpu-arch-not-in-wheel")
    assert commands(finding)
    assert not any("torch==2.5.1" in command for command in commands(finding))


def test_the_container_toolkit_is_not_purged_with_the_driver(judged: Callable[[Machine], Diagnosis]) -> None:
    base = reported(wsl(), said("wsl-foreign-libcuda"))
    finding = found(judged(base), "wsl-linux-driver-shadows-windows-driver")
    purge = next(command for command in commands(finding) if "purge" in command)
    patterns = shlex.split(purge)[3:]
    assert patterns
    assert not any(fnmatch("libnvidia-container1", pattern) for pattern in patterns)


@pytest.mark.parametrize("name", ["cpuonly", "pytorch-mutex"])
def test_conda_removes_what_is_installed(name: str, judged: Callable[[Machine], Diagnosis]) -> None:
    held = dist(name, "2.0", "cpu", installer="conda")
    base = with_environment(machine(FORGE_CPU, held), kind="conda", path="/opt/conda/envs/dl")
    finding = found(judged(reported(base, said("cuda-no-gpus-available"))), "dependency-forces-cpu")
    command = next(line for line in commands(finding) if line.startswith("conda"))
    assert "--prefix /opt/conda/envs/dl" in command
    assert ("remove" in command) == (name == "cpuonly")
