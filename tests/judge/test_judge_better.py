"""What a remedy offers where the driver or the system is not known, or knows an older CUDA than asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from judge_library_cases import said
from judge_machines import commands, dist, driver, found, machine, nvidia
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
