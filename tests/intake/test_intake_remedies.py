"""Remedies of whole reports: in the words of the reporter's system, tools and versions."""

from __future__ import annotations

import random

import pytest
from told_remedies import diagnosed, known, remedies

from dlsetup.intake.report import report_of
from dlsetup.model.record import Unknown

GCC = (
    "/usr/local/cuda/include/crt/host_config.h:132:2: error: #error -- unsupported GNU version! gcc versions "
    "later than {} are not supported!\n"
)
NO_DRIVER = 'could not select device driver "" with capabilities: [[gpu]]\n'
BUS_ERROR = (
    "DataLoader worker (pid 61) is killed by signal: Bus error. It is possible that dataloader's workers\n"
)


COMPILERS = {
    "gcc (Ubuntu 13.2.0-23ubuntu4) 13.2.0\nUbuntu 24.04 LTS\n": ("12", "sudo apt install gcc-12 g++-12"),
    "gcc (SUSE Linux) 14.2.1 20241007\n": ("12", "sudo zypper install gcc12 gcc12-c++"),
    "gcc (GCC) 15.1.1 20250521 (Red Hat 15.1.1-2)\nFedora release 42 (Adams)\n": (
        "14",
        "sudo dnf install gcc14 gcc14-c++",
    ),
    "gcc (GCC) 15.2.1 20250808 (Red Hat 15.2.1-1)\nFedora release 43 (Forty Three)\n": (
        "13",
        "conda install -c conda-forge gcc_linux-64=13 gxx_linux-64=13",
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


def test_a_module_that_lsmod_shows_is_loaded() -> None:
    refused = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"
    listed = "$ lsmod | grep nvidia\nnvidia_uvm  1789952  0\nnvidia  62783488  2 nvidia_uvm\n$ \n"
    without = diagnosed(refused + "$ uname -r\n6.8.0-49-generic\n")
    assert "kernel-module-not-loaded" in [item.id for item in without.findings]
    diagnosis = diagnosed(refused + listed)
    assert "kernel-module-not-loaded" not in [item.id for item in diagnosis.findings]
    assert any("dmesg" in gap.ask for gap in diagnosis.unknown)


@pytest.mark.parametrize(
    ("report", "finding", "wanted", "other"),
    [
        (
            "$ docker compose -f gpu.yml up --build\n" + NO_DRIVER,
            "container-toolkit-missing",
            "in the compose file",
            "docker run",
        ),
        (
            "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"
            "# lsmod | grep -e nvidia -e nouveau\nnouveau  1662531  0\nRocky Linux release 8.9 (x)\n",
            "kernel-module-not-loaded",
            "sudo dracut --force",
            "modprobe nvidia",
        ),
        (
            "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service\n$ mokutil --sb-state\n"
            "SecureBoot enabled\nDebian GNU/Linux 12\n"
            "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n",
            "kernel-module-not-loaded",
            "sudo mokutil --import /var/lib/dkms/mok.pub",
            "modprobe",
        ),
        (
            "RuntimeError: Failed to find C compiler. Please specify via CC environment variable.\n"
            "Rocky Linux release 9.4 (x)\n",
            "c-compiler-missing",
            "sudo dnf install gcc-c++",
            "apt",
        ),
        (
            "FROM nvidia/cuda:12.1.1-runtime-ubuntu22.04\nRUN pip3 install torch==2.4.0\n"
            "RuntimeError: Failed to find C compiler. Please specify via CC environment variable.\n",
            "c-compiler-missing",
            "nvidia/cuda:12.1.1-devel-ubuntu22.04",
            "sudo",
        ),
        (
            "ImportError: /lib64/libm.so.6: version `GLIBC_2.23' not found (required by /e/lib/python3.7/"
            "site-packages/tensorflow/python/_pywrap_tensorflow_internal.so)\n",
            "glibc-too-old",
            "dlsetup resolve tensorflow",
            "torch",
        ),
        (
            "RuntimeError: Unable to initialize backend 'tpu': ABORTED: The TPU is already in use by another "
            "process probably owned by another user.\n",
            "tpu-held-by-other-process",
            "sudo lsof -w /dev/accel* /dev/vfio/*",
            "{pid}",
        ),
        (
            "CUDA error: CUDA driver version is insufficient for CUDA runtime version\n"
            "| NVIDIA-SMI 560.35.03    Driver Version: 560.35.03    CUDA Version: 12.6 |\n"
            "jax==0.8.1\njaxlib==0.8.1\njax-cuda13-plugin==0.8.1\njax-cuda13-pjrt==0.8.1\n",
            "driver-too-old",
            "python -m pip install 'jax[cuda12]'",
            "torch",
        ),
    ],
)
def test_a_remedy_fits_what_the_report_shows(report: str, finding: str, wanted: str, other: str) -> None:
    text = remedies(report, finding)
    assert wanted in text
    assert other not in text


def test_the_first_remedy_is_no_alternative() -> None:
    log = (
        "Could not load dynamic library 'libcudart.so.10.1'; dlerror: libcudart.so.10.1: cannot open shared "
        "object file\n"
    )
    for finding in diagnosed(log + "tensorflow-gpu==2.1.0\nCUDA 10.2\n").findings:
        assert not finding.remedies or not finding.remedies[0].text.startswith("Or ")
