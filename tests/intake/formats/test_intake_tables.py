"""nvidia-smi in its layouts, and collect_env in its generations."""

from __future__ import annotations

import pytest

from dlsetup.intake.formats.collect_env import collect_env, packages
from dlsetup.intake.formats.nvidia_smi import listed, table
from dlsetup.intake.page import Page
from dlsetup.intake.reading import Format

OLD = """\
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 470.103.01   Driver Version: 470.103.01   CUDA Version: 11.4     |
|-------------------------------+----------------------+----------------------+
|   0  NVIDIA GeForce ...  Off  | 00000000:01:00.0 Off |                  N/A |
| N/A   41C    P8    12W / 250W |    212MiB /  3911MiB |      0%      Default |
"""
MIDDLE = """\
| NVIDIA-SMI 535.104.05             Driver Version: 535.104.05   CUDA Version: 12.2     |
|   0  NVIDIA A100-SXM4-40GB          On  | 00000000:07:00.0 Off |                   On |
| N/A   28C    P0              43W / 400W |      0MiB / 40960MiB |     N/A      Default |
|                                         |                      |              Enabled |
|   1  NVIDIA A100-SXM4-40GB          On  | 00000000:0F:00.0 Off |                    0 |
| N/A   28C    P0              43W / 400W |      0MiB / 40960MiB |      0%      Default |
|                                         |                      |             Disabled |
"""
WINDOWS = """\
| NVIDIA-SMI 551.78                 Driver Version: 551.78         CUDA Version: 12.4     |
|   0  NVIDIA RTX A2000 8GB Laptop  WDDM  |   00000000:01:00.0 Off |                    0 |
| N/A   41C    P8             12W /  250W |       0MiB /   8192MiB |      0%      Default |
"""
R610 = """\
| NVIDIA-SMI 610.10.01          KMD Version: 610.10.01     CUDA UMD Version: 13.4     |
|   0  NVIDIA B200                    On  |   00000000:1B:00.0 Off |                    0 |
| N/A   33C    P0            141W / 1000W |       0MiB / 183359MiB |      0%      Default |
"""


def facts(parser: Format, text: str) -> list[tuple[str, object]]:
    return [(fact.about, fact.value) for fact in parser.parser(Page(text, "x"))]


@pytest.mark.parametrize(
    ("text", "driver", "ceiling", "names"),
    [
        (OLD, "470.103.01", "11.4", [None]),
        (MIDDLE, "535.104.05", "12.2", ["NVIDIA A100-SXM4-40GB"] * 2),
        (WINDOWS, "551.78", "12.4", ["NVIDIA RTX A2000 8GB Laptop"]),
        (R610, "610.10.01", "13.4", ["NVIDIA B200"]),
    ],
)
def test_every_layout(text: str, driver: str, ceiling: str, names: list[str | None]) -> None:
    found = facts(table, text)
    assert str(dict(found)["driver.module"]) == driver
    assert str(dict(found)["driver.cuda_ceiling"]) == ceiling
    gpus = [value for about, value in found if about == "gpu"]
    assert [name if isinstance(name := gpu.name, str) else None for gpu in gpus] == names


def test_memory_and_mig_belong_to_the_gpu_above() -> None:
    gpus = [value for about, value in facts(table, MIDDLE) if about == "gpu"]
    assert [(gpu.mig, gpu.memory_bytes >> 20) for gpu in gpus] == [(True, 40960), (False, 40960)]


def test_a_table_that_is_printed_again_and_again_has_the_same_gpus() -> None:
    assert len([about for about, _ in facts(table, MIDDLE * 50) if about == "gpu"]) == 2


def test_a_list_with_slices() -> None:
    text = (
        "GPU 0: NVIDIA A100-PCIE-40GB (UUID: GPU-00000000-0000-0000-0000-000000000001)\n"
        "  MIG 1g.5gb      Device  0: (UUID: MIG-00000000-0000-0000-0000-00000000000a)\n"
        "  MIG 1g.5gb      Device  1: (UUID: MIG-00000000-0000-0000-0000-00000000000b)\n"
        "GPU 1: NVIDIA A10 (UUID: GPU-00000000-0000-0000-0000-000000000002)\n"
    )
    gpus = [value for _, value in facts(listed, text)]
    assert [(gpu.name, gpu.mig_instances if gpu.mig is True else 0) for gpu in gpus] == [
        ("NVIDIA A100-PCIE-40GB", 2),
        ("NVIDIA A10", 0),
    ]


GENERATIONS = {
    "1.3": (
        "PyTorch version: 1.3.0\nCUDA used to build PyTorch: 10.1.243\n\nOS: Debian GNU/Linux 9.11 (stretch)\n"
        "Python version: 3.7\nIs CUDA available: No\nNvidia driver version: 410.104\n",
        {"torch": "1.3.0", "variant": "cu101", "driver": "410.104", "available": "False", "os": "linux"},
    ),
    "2.6": (
        "PyTorch version: 2.6.0+cu124\nCUDA used to build PyTorch: 12.4\nROCM used to build PyTorch: N/A\n"
        "OS: Ubuntu 22.04.4 LTS (x86_64)\nLibc version: glibc-2.35\n"
        "Python platform: Linux-6.5.0-35-generic-x86_64-with-glibc2.35\nIs CUDA available: True\n"
        "Nvidia driver version: 550.90.07\n",
        {
            "torch": "2.6.0+cu124",
            "variant": "cu124",
            "driver": "550.90.07",
            "available": "True",
            "os": "linux",
        },
    ),
    "mac": (
        "PyTorch version: 2.6.0\nCUDA used to build PyTorch: None\nOS: macOS 14.5 (arm64)\n"
        "Python platform: macOS-14.5-arm64-arm-64bit\nIs CUDA available: False\nNvidia driver version: No CUDA\n",
        {"torch": "2.6.0", "variant": "cpu", "driver": None, "available": "False", "os": "macos"},
    ),
}


@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_generation(generation: str) -> None:
    text, wanted = GENERATIONS[generation]
    found = facts(collect_env, text)
    torch = next(value for about, value in found if about == "distribution")
    seen = {value.subject: value.value for about, value in found if about == "observation"}
    driver = dict(found).get("driver.module")
    assert {
        "torch": str(torch.version),
        "variant": torch.variant,
        "driver": str(driver) if driver else None,
        "available": seen["torch.cuda.is_available"],
        "os": dict(found)["system.os"],
    } == wanted


def test_packages_of_pip_and_of_conda() -> None:
    text = (
        "[pip3] torch==2.8.0\n"
        "[conda] pytorch                   2.6.0        cuda126_mkl_py312_h30b5a27_300    conda-forge\n"
        "[conda] torch                     2.8.0                    pypi_0    pypi\n"
        "[conda] Could not collect\n"
    )
    found = [value for _, value in facts(packages, text)]
    assert [(item.name, str(item.version), item.installer, item.variant) for item in found[:2]] == [
        ("torch", "2.8.0", "pip", found[0].variant),
        ("torch", "2.6.0", "conda", "cu126"),
    ]
    assert found[2].installer == "pip"
    assert len(found) == 3
