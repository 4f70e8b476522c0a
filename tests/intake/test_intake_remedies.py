"""Remedies of whole reports: in the words of the reporter's system, tools and versions."""

from __future__ import annotations

from functools import cache

import pytest

from dlsetup.catalog.messages import knowledge
from dlsetup.commands.pasted import catalog_of_report, ways
from dlsetup.intake.report import Ways, report_of
from dlsetup.judge.registry import judge
from dlsetup.model.finding import Diagnosis

GCC = (
    "/usr/local/cuda/include/crt/host_config.h:132:2: error: #error -- unsupported GNU version! gcc versions "
    "later than {} are not supported!\n"
)
NO_DRIVER = 'could not select device driver "" with capabilities: [[gpu]]\n'
BUS_ERROR = (
    "DataLoader worker (pid 61) is killed by signal: Bus error. It is possible that dataloader's workers\n"
)


@cache
def known() -> Ways:
    return ways(knowledge())


def diagnosed(text: str) -> Diagnosis:
    machine = report_of([("report.txt", text.encode())], known()).machine
    return judge(machine, catalog_of_report(machine, knowledge(), ()))


def remedies(text: str, finding: str) -> str:
    """Words and commands of all remedies of one finding, one a line."""
    found = next(item for item in diagnosed(text).findings if item.id == finding)
    return "\n".join(line for item in found.remedies for line in (item.text, *item.commands))


COMPILERS = {
    "gcc (Ubuntu 13.2.0-23ubuntu4) 13.2.0\nUbuntu 24.04 LTS\n": ("12", "sudo apt install gcc-12 g++-12"),
    "gcc (SUSE Linux) 14.2.1 20241007\n": ("12", "sudo zypper install gcc12 gcc12-c++"),
    "gcc (GCC) 15.1.1 20250521 (Red Hat 15.1.1-2)\nFedora release 42 (Adams)\n": (
        "14",
        "sudo dnf install gcc14 gcc14-c++",
    ),
    "gcc (GCC) 14.2.1 20240801 (Red Hat 14.2.1-1)\nRocky Linux release 9.4 (Blue Onyx)\n": (
        "12",
        "sudo dnf install gcc-toolset-12",
    ),
    "x86_64-conda-linux-gnu-c++ (conda-forge gcc 14.1.0-1) 14.1.0\n/opt/conda/bin\n": (
        "13",
        "conda install -c conda-forge gcc_linux-64=13 gxx_linux-64=13",
    ),
    "c++ (Debian 14.2.0-19) 14.2.0\nDebian GNU/Linux 13 (trixie)\n": (
        "11",
        "conda install -c conda-forge gcc_linux-64=11 gxx_linux-64=11",
    ),
    "gcc (GCC) 15.2.1 20250813\nLinux box 6.16.8-arch1-1 #1 SMP PREEMPT_DYNAMIC x86_64 GNU/Linux\n": (
        "14",
        "sudo pacman -S gcc14",
    ),
}


@pytest.mark.parametrize(("banner", "said"), COMPILERS.items())
def test_an_older_compiler_is_installed_as_the_system_calls_it(banner: str, said: tuple[str, str]) -> None:
    newest, command = said
    text = remedies(banner + GCC.format(newest), "host-compiler-too-new")
    assert command in text.splitlines()
    assert "CUDAHOSTCXX=" in text
    assert "NVCC_PREPEND_FLAGS=" in text
    assert "unsupported-compiler" not in text


def test_the_toolset_of_enterprise_systems_lies_in_a_folder_of_its_own() -> None:
    banner = "gcc (GCC) 14.2.1 20240801 (Red Hat 14.2.1-1)\nAlmaLinux release 9.4 (Seafoam Ocelot)\n"
    text = remedies(banner + GCC.format("13"), "host-compiler-too-new")
    assert "/opt/rh/gcc-toolset-13/root/usr/bin/g++" in text
    own = remedies(banner + GCC.format("11"), "host-compiler-too-new")
    assert "CXX=/usr/bin/g++ " in own


def test_the_cuda_that_takes_the_compiler_is_named() -> None:
    text = remedies(
        "gcc (Ubuntu 14.2.0-19ubuntu2) 14.2.0\n" + GCC.format("13"),
        "host-compiler-too-new",
    )
    assert "CUDA 12.8 or newer" in text


CONTAINERS = {
    "$ docker run --rm --gpus all ubuntu nvidia-smi\n" + NO_DRIVER: (
        "container-toolkit-missing",
        "sudo nvidia-ctk runtime configure --runtime=docker",
        "cdi generate",
    ),
    "$ podman run --rm --device nvidia.com/gpu=all ubuntu nvidia-smi\n"
    "Error: setting up CDI devices: unresolvable CDI devices nvidia.com/gpu=all\n": (
        "container-toolkit-missing",
        "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml",
        "docker",
    ),
    "$ nerdctl run --gpus all ubuntu nvidia-smi\n"
    'exec: "nvidia-container-cli": executable file not found in $PATH\n': (
        "container-toolkit-missing",
        "sudo systemctl restart containerd",
        "docker",
    ),
    "$ podman run -it pytorch python train.py\n" + BUS_ERROR: ("shm-too-small", "--shm-size=16g", "docker"),
    "services:\n  train:\n    image: pytorch/pytorch\n    command: python train.py\n" + BUS_ERROR: (
        "shm-too-small",
        "shm_size: 16gb",
        "docker run",
    ),
    "kubectl logs trainer-0\n" + BUS_ERROR: ("shm-too-small", "medium: Memory", "--shm-size"),
}


@pytest.mark.parametrize(("text", "said"), CONTAINERS.items())
def test_a_tool_is_told_in_its_own_words(text: str, said: tuple[str, str, str]) -> None:
    finding, wanted, other = said
    words = remedies(text, finding)
    assert wanted in words
    assert other not in words


def test_docker_desktop_is_mended_on_the_side_of_windows() -> None:
    text = "PS C:\\Users\\a> docker run --gpus all ubuntu nvidia-smi\n" + NO_DRIVER
    words = remedies(text, "container-toolkit-missing")
    assert "wsl --update" in words
    assert "sudo" not in words


@pytest.mark.parametrize(
    ("system", "command"),
    [
        ("$ uname -r\n5.14.0-427.13.1.el9_4.x86_64\n", "sudo dnf install nvidia-open"),
        ("openSUSE Leap 15.6\n", "sudo zypper install nvidia-open"),
        ("Ubuntu 22.04\n", "sudo ubuntu-drivers install"),
    ],
)
def test_a_driver_is_installed_as_the_system_does_it(system: str, command: str) -> None:
    said = "The NVIDIA driver on your system is too old (found version 11040)\ntorch==2.9.1+cu126\n"
    assert command in remedies(f"{system}{said}", "driver-too-old").splitlines()
