"""What reports of cuDNN are advised to do: one thing, at the place that the copy comes from."""

from __future__ import annotations

import pytest
from told_remedies import diagnosed, remedies

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
