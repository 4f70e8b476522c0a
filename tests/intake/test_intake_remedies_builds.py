"""What reports of builds are advised to do: the toolkit, the module and the CUDA that they lack."""

from __future__ import annotations

import pytest
from told_remedies import remedies

NO_NVCC = "OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root.\n"
NOT_LOADED = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"
NO_CUDA = (
    "× The current system has a mismatching virtual package. The project requires '__cuda' to be at least "
    "version '12.1' but the system has no '__cuda' virtual package\n"
)


@pytest.mark.parametrize(
    ("report", "wanted", "other"),
    [
        (
            "Rocky Linux release 9.4 (x)\ntorch==2.6.0+cu124\n" + NO_NVCC,
            "sudo dnf install cuda-toolkit-12-4",
            "apt",
        ),
        ("Ubuntu 22.04\ntorch==2.6.0+cu124\n" + NO_NVCC, "export CUDA_HOME=/usr/local/cuda-12.4", "dnf"),
        (
            "FROM ubuntu:22.04\nRUN pip install torch==2.5.1 --index-url https://download.pytorch.org/whl/cu124\n"
            + NO_NVCC,
            "of CUDA 12.4",
            "sudo",
        ),
        (
            "# packages in environment at /opt/conda/envs/a:\n#\n# Name  Version  Build  Channel\n"
            "python  3.11.9  h955ad1f_0  defaults\ntorch  2.6.0+cu124  pypi_0  pypi\n" + NO_NVCC,
            "conda install -c conda-forge cuda-nvcc=12.4",
            "apt",
        ),
    ],
)
def test_the_toolkit_is_that_of_torch(report: str, wanted: str, other: str) -> None:
    text = remedies(report, "cuda-toolkit-missing-for-build")
    assert wanted in text
    assert other not in text


@pytest.mark.parametrize(
    ("kernel", "command"),
    [
        ("6.12.23-1-lts", "sudo pacman -S linux-lts-headers"),
        ("5.10.0-25-cloud-amd64", "sudo apt install linux-headers-5.10.0-25-cloud-amd64"),
        ("5.14.0-427.13.1.el9_4.x86_64", "sudo dnf install kernel-devel-5.14.0-427.13.1.el9_4.x86_64"),
        ("6.4.0-150600.23.25-default", "sudo zypper install kernel-default-devel"),
    ],
)
def test_a_module_that_is_not_built_is_built_before_it_is_loaded(kernel: str, command: str) -> None:
    built = "$ dkms status\nnvidia/570.133.07, 6.1.1-1-other, x86_64: installed\n"
    text = remedies(f"$ uname -r\n{kernel}\n{built}{NOT_LOADED}", "kernel-module-not-loaded")
    assert command in text.splitlines()
    assert command in remedies(f"$ uname -r\n{kernel}\n{built}{NOT_LOADED}", "dkms-headers-missing")


def test_pixi_is_told_of_the_cuda_that_its_project_names() -> None:
    manifest = (
        '[project]\nchannels = ["conda-forge"]\n\n[system-requirements]\ncuda = "12.1"\n\n'
        '[dependencies]\npython = "3.11.*"\n'
    )
    text = remedies(manifest + NO_CUDA, "conda-virtual-cuda-missing-at-build")
    assert "CONDA_OVERRIDE_CUDA=12.1 pixi install" in text
    assert "conda env create" not in text
