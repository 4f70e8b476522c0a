"""What systems, package managers, WSL, shells and nvidia-smi print: samples, and text that is none."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dlsetup.intake.fact import Fact
from dlsetup.intake.formats import (
    linux_host,
    nvidia_query,
    pci,
    prose,
    system_packages,
    torch_gpus,
    variables,
    wsl,
)
from dlsetup.intake.page import Page
from dlsetup.intake.reading import Format, facts_of

MODULES = (linux_host, nvidia_query, pci, prose, system_packages, torch_gpus, variables, wsl)
KNOWN = tuple(item for module in MODULES for item in vars(module).values() if isinstance(item, Format))
SAMPLES = (
    "Linux box 5.4.0-150-generic #167-Ubuntu SMP Mon May 15 17:35:05 UTC 2023 x86_64 x86_64 x86_64 GNU/Linux",
    'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"',
    "CentOS Linux release 7.9.2009 (Core)",
    "ldd (GNU libc) 2.17",
    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  565.57.01  Release Build  (dvs)",
    "nvidia, 470.256.02, 5.15.0-130-generic, x86_64: installed",
    "ii  libnvidia-compute-470:amd64  470.256.02-0ubuntu0.22.04.1  amd64  NVIDIA libcompute package",
    "nvidia-driver-cuda-libs-560.35.03-1.fc40.x86_64",
    "65:00.0 3D controller [0302]: NVIDIA Corporation GA100 [A100 PCIe 40GB] [10de:20f1] (rev a1)",
    "export LD_LIBRARY_PATH=/usr/local/cuda-11.8/lib64:$LD_LIBRARY_PATH",
    "* Ubuntu                 Stopped         2",
    "name, driver_version, memory.total [MiB]\nTesla T4, 535.183.01, 15360 MiB",
    "    Product Name                          : NVIDIA L4",
    "<product_name>NVIDIA L4</product_name>",
)


def told(text: str) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for fact in facts_of(Page(text, "report.txt"), KNOWN):
        assert isinstance(fact, Fact)
        found.setdefault(fact.about, []).append(fact.value)
    return found


@pytest.mark.parametrize(
    ("sample", "about", "value"),
    [
        (SAMPLES[0], "system.kernel", "5.4.0-150-generic"),
        ("$ uname -r\n6.1.0-28-amd64", "system.kernel", "6.1.0-28-amd64"),
        ("$ uname -r\n4.4.0-19041-Microsoft", "wsl.version", "1"),
        (SAMPLES[1], "system.name", "Debian GNU/Linux 12 (bookworm)"),
        (SAMPLES[2], "system.release", "7.9.2009"),
        (SAMPLES[3], "libc.version", "2.17"),
        (SAMPLES[4], "driver.module", "565.57.01"),
        (SAMPLES[5], "dkms module", "470.256.02 5.15.0-130-generic installed"),
        ("nvidia/535.183.01: added", "dkms module", "535.183.01 no kernel added"),
        ("SecureBoot disabled", "secure boot", "disabled"),
        ("* Ubuntu                 Stopped         2", "wsl.version", "2"),
        ("OS: Ubuntu 20.04, NVIDIA driver 470.57", "driver.module", "470.57"),
    ],
)
def test_a_line_tells_a_fact(sample: str, about: str, value: str) -> None:
    marks = "NAME STATE dkms\n" + sample
    assert value in [str(item) for item in told(marks)[about]]


@pytest.mark.parametrize(
    ("sample", "name", "version", "state"),
    [
        (SAMPLES[6], "libnvidia-compute-470", "470.256.02-0ubuntu0.22.04.1", "installed"),
        (SAMPLES[7], "nvidia-driver-cuda-libs", "560.35.03-1.fc40", "installed"),
        (
            "rc  nvidia-utils-525  525.147.05-0ubuntu1  amd64  x",
            "nvidia-utils-525",
            "525.147.05-0ubuntu1",
            "removed",
        ),
        (
            "Upgrade: nvidia-utils-535:amd64 (535.1.02-0, 535.2.01-0)",
            "nvidia-utils-535",
            "535.2.01-0",
            "installed",
        ),
        ("nvidia-utils 565.57.01-1", "nvidia-utils", "565.57.01-1", "installed"),
    ],
)
def test_a_package_has_its_version(sample: str, name: str, version: str, state: str) -> None:
    (item,) = told(sample)["package"]
    assert (item.name, item.version, item.state) == (name, version, state)


@pytest.mark.parametrize(
    ("sample", "value"),
    [
        ("export CUDA_VISIBLE_DEVICES=1,2", "1,2"),
        ("user@box:~$ CUDA_VISIBLE_DEVICES= python a.py", ""),
        ('os.environ["CUDA_VISIBLE_DEVICES"] = "0"', "0"),
        ('PS C:\\> $env:CUDA_VISIBLE_DEVICES = "3"', "3"),
        ("$ echo $CUDA_VISIBLE_DEVICES\n5", "5"),
    ],
)
def test_a_variable_has_its_value(sample: str, value: str) -> None:
    assert [item.value for item in told(sample)["variable"]] == [value]


@pytest.mark.parametrize("sample", [SAMPLES[8], SAMPLES[11], SAMPLES[12], SAMPLES[13]])
def test_a_gpu_is_named(sample: str) -> None:
    (gpu,) = told("NVSMI LOG <nvidia_smi_log>\n" + sample)["gpu"]
    assert gpu.name in ("A100 PCIe 40GB", "Tesla T4", "NVIDIA L4")


def test_a_driver_that_is_asked_for_is_not_there() -> None:
    assert "driver.module" not in told("You need NVIDIA driver 580.65.06 or newer.")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(SAMPLES), st.text(max_size=60)), max_size=10))
def test_other_text_between_the_lines_does_no_harm(lines: list[str]) -> None:
    for fact in facts_of(Page("\n".join(lines), "report.txt"), KNOWN):
        assert isinstance(fact, Fact)
        assert fact.source.startswith("report.txt:")
