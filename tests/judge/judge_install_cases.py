"""Reports of installs: what was asked for, said and left; one that trips each finding, and a near miss."""

from __future__ import annotations

from judge_library_cases import reported, said, seen
from judge_machines import dist, environment, machine
from msgspec.structs import replace
from packaging.version import Version

from dlsetup.model.machine import Distribution, Machine
from dlsetup.model.report import Asked, Command, Contained

CU121 = "https://download.pytorch.org/whl/cu121"
XPU = "https://download.pytorch.org/whl/xpu"
TORCH_CPU = dist("torch", "2.5.1+cpu", "cpu")
FORGE_CPU = dist("torch", "2.5.1", "cpu", installer="conda", origin="conda-forge cpu_mkl_py311_0")
CONDA_CPU = dist("torch", "1.9.0", "cpu", installer="conda", origin="pytorch py3.8_cpu_0")
TOOLKIT = dist("cudatoolkit", "11.1.1", installer="conda")
BY_CONDA = dist("torch", "2.5.1", "cpu", installer="conda", location="/home/ada/env/conda-meta")
"""As conda's own record tells it; what pip writes over it lies in the folder of packages."""
IMAGE = Contained(kind="dockerfile", image="mambaorg/micromamba:1.5.8", source="Dockerfile:1")
NO_CUDA = seen("conda.virtual_packages", "__unix=0=0 __linux=6.8.0=0")
WITH_CUDA = seen("conda.virtual_packages", "__unix=0=0 __linux=6.8.0=0 __cuda=12.4=0")
PROJECT = seen("pyproject.tool.uv.index", "there")
OLD_DRIVER = said("torch-driver-too-old", number="11040")
NO_KERNEL = said("no-kernel-image")
NUMPY_1 = said("numpy-1-module", numpy="2.1.0")


def asked(name: str, specifier: str = "", *, index: str = "", line: int = 1) -> Asked:
    return Asked(name=name, specifier=specifier, index=index, source=f"run.txt:{line}")


def of_conda(name: str, specifier: str = "", channel: str = "") -> Asked:
    return Asked(name=name, specifier=specifier, installer="conda", index=channel, source="run.txt:1")


def install(*words: str, line: int) -> Command:
    return Command(words=words, source=f"run.txt:{line}")


def told(base: Machine, *lines: Asked | Command | Contained) -> Machine:
    """A report, with what it tells of installs."""
    whole = base if base.partial else reported(base)
    report = replace(
        whole.report,
        asked=tuple(item for item in lines if isinstance(item, Asked)),
        commands=tuple(item for item in lines if isinstance(item, Command)),
        containers=tuple(item for item in lines if isinstance(item, Contained)),
    )
    return replace(whole, report=report)


def without_gpu(*distributions: Distribution) -> Machine:
    return machine(*distributions, gpus=(), driver=None)


def no_version(name: str, version: str, python: str) -> Machine:
    """An installer that finds no file of a release, under one Python."""
    base = machine(environments=(environment(python=Version(python)),))
    return reported(base, said("pip-no-version", name=name, version=version))


def replaced(now: Distribution, first: Asked, *later: Command) -> Machine:
    return told(without_gpu(now), first, *later)


UPGRADE = install("pip", "install", "--upgrade", "accelerate", line=9)
CHOSEN = asked("torch", "==2.5.1", index=CU121, line=2)
CHOSEN_XPU = asked("torch", "==2.9.1", index=XPU, line=2)

INSTALL_CASES: dict[str, tuple[Machine, Machine]] = {
    "pytorch-conda-channel-ended": (
        told(machine(), of_conda("torch", "=2.6", "pytorch")),
        told(machine(), of_conda("torch", "=2.6", "conda-forge")),
    ),
    "conda-virtual-cuda-missing-at-build": (
        told(reported(machine(FORGE_CPU, gpus=(), driver=None), NO_CUDA), IMAGE),
        told(reported(machine(FORGE_CPU, gpus=(), driver=None), WITH_CUDA), IMAGE),
    ),
    "torch-by-conda-and-pip": (
        machine(BY_CONDA, dist("torch", "2.6.0+cu124", "cu124")),
        machine(BY_CONDA),
    ),
    "cudatoolkit-present-but-unused": (
        reported(machine(CONDA_CPU, TOOLKIT)),
        reported(machine(dist("torch", "1.9.0", "cu111", installer="conda"), TOOLKIT)),
    ),
    "no-build-for-requested-cudatoolkit": (
        told(machine(), of_conda("torch", "=1.8.0"), of_conda("cudatoolkit", "=11.3")),
        told(machine(), of_conda("torch", "=1.8.0"), of_conda("cudatoolkit", "=11.1")),
    ),
    "dependency-replaced-torch": (
        replaced(TORCH_CPU, CHOSEN, UPGRADE),
        replaced(dist("torch", "2.5.1+cu121", "cu121"), CHOSEN, UPGRADE),
    ),
    "xpu-wheel-replaced-by-cpu": (
        replaced(TORCH_CPU, CHOSEN_XPU, UPGRADE),
        replaced(TORCH_CPU, CHOSEN_XPU, install("pip", "install", "accelerate", line=1)),
    ),
    "unsatisfiable-pins": (
        told(machine(), asked("torch", "==2.5.1"), asked("torchvision", "==0.19.1")),
        told(machine(), asked("torch", "==2.5.1"), asked("torchvision", "==0.20.1")),
    ),
    "uv-index-not-published": (
        told(reported(machine(), PROJECT), install("uv", "tool", "install", "sleap", line=3)),
        told(reported(machine(), PROJECT), install("pip", "install", "-e", ".", line=3)),
    ),
    "unpinned-torch": (
        told(reported(machine(), OLD_DRIVER), asked("torch")),
        told(reported(machine(), OLD_DRIVER), asked("torch", index=CU121)),
    ),
    "unpinned-cuda-variant": (
        told(reported(machine(), NO_KERNEL), asked("torch", "==1.10.1")),
        told(reported(machine(), NO_KERNEL), asked("torch", "==1.10.1+cu111")),
    ),
    "unpinned-numpy": (
        told(reported(machine(), NUMPY_1), asked("numpy", ">=1.22")),
        told(reported(machine(), NUMPY_1), asked("numpy", ">=1.22,<2")),
    ),
    "python-too-new-for-wheel": (
        no_version("torch", "2.0.1", "3.13.1"),
        no_version("torch", "2.0.1", "3.11.9"),
    ),
}
