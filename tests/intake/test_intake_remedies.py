"""Remedies of whole reports: in the words of the reporter's system, tools and versions."""

from __future__ import annotations

import random
from functools import cache

import pytest

from dlsetup.catalog.messages import knowledge
from dlsetup.commands.pasted import catalog_of_report, ways
from dlsetup.intake.report import Ways, report_of
from dlsetup.judge.registry import judge
from dlsetup.model.finding import Diagnosis
from dlsetup.model.record import Unknown

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


@pytest.mark.parametrize("seed", range(12))
def test_noise_is_no_system(seed: int) -> None:
    noise = random.Random(seed).randbytes(60_000)
    system = report_of([("core", noise)], known()).machine.system
    assert isinstance(system.os, Unknown)
    assert isinstance(system.arch, Unknown)


TRACE = (
    "calling init: /v/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn.so.9\n"
    "calling init: {}/libcudnn_graph.so.9\nCUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH\n"
    "nvidia-cudnn-cu13==9.20.0.48\n"
)
OLD = "Loaded runtime CuDNN library: {} but source was compiled with: {}.\n"


@pytest.mark.parametrize(
    ("folder", "more", "wanted", "other"),
    [
        (
            "/usr/lib/x86_64-linux-gnu",
            "ii  libcudnn9-cuda-13  9.21.1.3-1  amd64  x\n",
            "sudo apt remove libcudnn9-cuda-13",
            "unset",
        ),
        (
            "/usr/lib64",
            "$ rpm -qf /usr/lib64/libcudnn_graph.so.9\nlibcudnn9-cuda-13-9.21.1.3-1.x86_64\n"
            "Rocky Linux release 9.4 (x)\n",
            "sudo dnf remove libcudnn9-cuda-13",
            "unset",
        ),
        ("/opt/cudnn/lib", "LD_LIBRARY_PATH=/opt/cudnn/lib\n", "unset LD_LIBRARY_PATH", "remove"),
        ("/usr/local/cuda-13.0/lib64", "", "ls -l /usr/local/cuda-13.0/lib64", "apt"),
        ("/usr/lib", "CachyOS\n", "sudo pacman -Rns cudnn", "unset"),
    ],
)
def test_the_copy_that_is_in_the_way_is_taken_from_where_it_is(
    folder: str, more: str, wanted: str, other: str
) -> None:
    text = remedies(more + TRACE.format(folder), "cudnn-parts-from-two-versions")
    assert wanted in text.splitlines()
    assert not any(line.startswith(other) or f" {other} " in line for line in text.splitlines())


@pytest.mark.parametrize(
    ("report", "wanted"),
    [
        (
            OLD.format("9.10.1", "9.13.1")
            + "# Name  Version  Build  Channel\ncudnn  9.10.1.4  haad7af6_1  conda-forge\n",
            "conda install -c conda-forge 'cudnn>=9.13.1,<10'",
        ),
        (
            OLD.format("9.5.1", "9.8.0") + "nvidia-cudnn-cu12==9.5.1.17\njax==0.6.1\n",
            "python -m pip install 'nvidia-cudnn-cu12>=9.8.0,<10'",
        ),
        (
            OLD.format("7.5.0", "7.6.5")
            + "ii  libcudnn7      7.5.0.56-1+cuda10.1  amd64  x\n"
            + "ii  libcudnn7-dev  7.5.0.56-1+cuda10.1  amd64  x\n$ uname -r\n5.4.0-42-generic\n",
            "sudo apt install 'libcudnn7=7.6.5*+cuda10.1' 'libcudnn7-dev=7.6.5*+cuda10.1'",
        ),
    ],
)
def test_a_newer_cudnn_comes_the_way_of_the_present_one(report: str, wanted: str) -> None:
    lines = remedies(report, "cudnn-too-old-at-runtime").splitlines()
    assert wanted in lines
    assert sum("install" in line for line in lines if not line[0].isupper()) == 1


def test_what_two_frameworks_share_is_not_raised_for_one_of_them() -> None:
    """An upgrade of the wheel that torch pins would contradict the remedy of the cause."""
    text = (
        OLD.format("9.1.0", "9.8.0")
        + "jax==0.6.0\njaxlib==0.6.0\ntorch==2.6.0\nnvidia-cudnn-cu12==9.1.0.70\n"
    )
    shared = remedies(text, "two-frameworks-share-cudnn")
    assert "dlsetup create env jax-gpu jax" in shared
    assert "import torch" not in shared
    assert "pip install" not in remedies(text, "cudnn-too-old-at-runtime")


def test_two_cuda_12_builds_are_not_told_to_take_cuda_12() -> None:
    text = remedies(
        "torch 2.5.1 requires nvidia-cudnn-cu12==9.1.0.70, but you have nvidia-cudnn-cu12 9.6.0.74 which is "
        "incompatible.\nSuccessfully installed jax-0.4.38 nvidia-cudnn-cu12-9.6.0.74\n",
        "two-frameworks-share-cudnn",
    )
    assert "CUDA 12" not in text
    assert "dlsetup resolve torch jax" in text


DLL = (
    'OSError: [WinError 127] The specified procedure could not be found. Error loading "C:\\venv\\Lib\\'
    'site-packages\\paddle\\..\\nvidia\\cudnn\\bin\\cudnn_cnn64_9.dll" or one of its dependencies.\n'
    "paddlepaddle-gpu==3.0.0rc1\ntorch==2.6.0+cu126\nnvidia-cudnn-cu12=={}\n"
)


@pytest.mark.parametrize(
    ("wheel", "command"),
    [("9.5.1.17", "uninstall --yes nvidia-cudnn-cu12"), ("9.3.0.75", "install nvidia-cudnn-cu12==9.5.1.17")],
)
def test_dlls_of_one_name_are_brought_to_one_version(wheel: str, command: str) -> None:
    text = remedies(DLL.format(wheel), "two-frameworks-share-cudnn")
    assert command in text
    assert ("uninstall" in text) == command.startswith("uninstall")


def test_no_file_of_linux_is_named_on_windows() -> None:
    text = (
        "W1118 device_context.h:397] WARNING: device: 0. The installed Paddle is compiled with CUDNN "
        "8.2, but CUDNN version in your machine is 8.1, which may cause serious incompatible bug.\n"
        "W1118 10:20:31.417 12056 device_context.cc:422] device: 0, cuDNN Version: 8.1.\nWindows 10 x64\n"
    )
    assert "libcudnn.so" not in repr(diagnosed(text))


def test_a_module_that_lsmod_shows_is_loaded() -> None:
    refused = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"
    listed = "$ lsmod | grep nvidia\nnvidia_uvm  1789952  0\nnvidia  62783488  2 nvidia_uvm\n$ \n"
    without = diagnosed(refused + "$ uname -r\n6.8.0-49-generic\n")
    assert "kernel-module-not-loaded" in [item.id for item in without.findings]
    diagnosis = diagnosed(refused + listed)
    assert "kernel-module-not-loaded" not in [item.id for item in diagnosis.findings]
    assert any("dmesg" in gap.ask for gap in diagnosis.unknown)
