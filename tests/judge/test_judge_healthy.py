"""What is well comes out well: no error and no warning where nothing is wrong."""

from __future__ import annotations

import shlex
from collections.abc import Callable

import msgspec
import pytest
from judge_machines import (
    container,
    dist,
    docker,
    driver,
    environment,
    ids,
    library,
    mac,
    machine,
    nvidia,
    package,
    system,
    tool,
    variables,
    wheel_library,
    windows,
    with_environment,
    wsl,
)

from dlsetup.model.finding import Diagnosis
from dlsetup.model.machine import Driver, Gpu, Library, Machine, Sighting, Toolkit
from dlsetup.model.record import UNKNOWN
from dlsetup.model.versions import CudaVersion, DriverRelease

CU126 = dist("torch", "2.14.1+cu126", "cu126")
CUDNN12 = dist("nvidia-cudnn-cu12", "9.10.2.21")
JAX12 = (
    dist("jax", "0.10.2", requires=("jaxlib<=0.10.2,>=0.10.1",)),
    dist("jaxlib", "0.10.2"),
    dist("jax-cuda12-plugin", "0.10.2"),
    dist("jax-cuda12-pjrt", "0.10.2"),
)
TF_LIBRARIES = (
    library("cudart", "12.5.82", "/usr/local/cuda-12.5/lib64/libcudart.so.12", "libcudart.so.12"),
    library("cudnn", "9.3.0", "/usr/lib/x86_64-linux-gnu/libcudnn.so.9", "libcudnn.so.9"),
)

HEALTHY: dict[str, Machine] = {
    "an empty environment": machine(),
    "minor-version compatibility: driver 535 runs CUDA 12.6": machine(
        CU126, driver=driver("535.129.03", "12.2")
    ),
    "the ceiling 12.2 of nvidia-smi beside a 12.6 wheel, release unknown": machine(
        CU126, driver=Driver(cuda_ceiling=CudaVersion("12.2"), nvml_error=None)
    ),
    "sm_89 runs the code of sm_86": machine(CU126, gpus=(nvidia("NVIDIA GeForce RTX 4090", "8.9"),)),
    "sm_61 runs the code of sm_60": machine(CU126, gpus=(nvidia("NVIDIA GeForce GTX 1080 Ti", "6.1"),)),
    "LD_LIBRARY_PATH is empty": machine(CU126, variables=variables(LD_LIBRARY_PATH="")),
    "LD_LIBRARY_PATH names the folder of WSL": wsl(
        CU126, variables=variables(LD_LIBRARY_PATH="/usr/lib/wsl/lib")
    ),
    "nvcc 11.8 beside a 12.6 wheel": machine(
        CU126,
        toolkits=(Toolkit(version=CudaVersion("11.8"), path="/usr/local/cuda-11.8", default=True),),
    ),
    "several toolkits": machine(
        CU126,
        toolkits=tuple(
            Toolkit(version=CudaVersion(text), path=f"/usr/local/cuda-{text}")
            for text in ("11.8", "12.4", "13.0")
        ),
    ),
    "no toolkit at all": machine(CU126, toolkits=()),
    "LD_LIBRARY_PATH holds libraries of another major, under other names": machine(
        CU126,
        libraries=(
            library("cublas", "11.11.3", "/usr/local/cuda-11.8/lib64/libcublas.so.11", "libcublas.so.11"),
            wheel_library("cublas", "12.6.4.1", "libcublas.so.12"),
        ),
        variables=variables(LD_LIBRARY_PATH="/usr/local/cuda-11.8/lib64:"),
    ),
    "LD_LIBRARY_PATH holds the same version": machine(
        CU126,
        libraries=(
            library("cudnn", "9.10.2", "/opt/cudnn/lib/libcudnn.so.9", "libcudnn.so.9"),
            wheel_library("cudnn", "9.10.2.21", "libcudnn.so.9"),
        ),
        variables=variables(LD_LIBRARY_PATH="/opt/cudnn/lib"),
    ),
    "another copy lies in a folder that the variable does not name": machine(
        CU126,
        libraries=(
            library("cudnn", "8.9.2", "/opt/cudnn/lib/libcudnn.so.9", "libcudnn.so.9"),
            wheel_library("cudnn", "9.10.2.21", "libcudnn.so.9"),
        ),
    ),
    "JAX on the CPU of a machine without GPU": machine(
        dist("jax", "0.10.2"), dist("jaxlib", "0.10.2"), gpus=(), driver=None
    ),
    "torch for the CPU on a machine without GPU": machine(
        dist("torch", "2.14.1+cpu", "cpu"), gpus=(), driver=None
    ),
    "torch on a Mac": mac(dist("torch", "2.14.1", "cpu"), dist("torchvision", "0.29.1")),
    "JAX on a Mac": mac(dist("jax", "0.10.2"), dist("jaxlib", "0.10.2")),
    "JAX with its plugin": machine(*JAX12),
    "JAX with its plugin on the CUDA of the system": machine(*JAX12[:3], *JAX12[3:]),
    "TensorFlow with its CUDA wheels": machine(dist("tensorflow", "2.21.0", "cu125"), CUDNN12),
    "TensorFlow on the CUDA of the system": machine(
        dist("tensorflow", "2.21.0", "cu125"), libraries=TF_LIBRARIES
    ),
    "TensorFlow from conda": machine(
        environments=(
            environment(
                dist("tensorflow", "2.17.0", "cu120", installer="conda"), kind="conda", path="/opt/conda"
            ),
        )
    ),
    "TensorFlow for the CPU on Windows without a GPU": windows(dist("tensorflow", "2.16.1"), gpus=()),
    "two environments with different CUDA": machine(
        environments=(
            environment(CU126),
            environment(dist("torch", "2.14.1", "cu130"), path="/home/ada/other", examined=False),
        )
    ),
    "a container without devices": container(dist("torch", "2.14.1", "cu130"), given=False),
    "a container without devices, torch for the CPU": container(
        dist("torch", "2.14.1+cpu", "cpu"), given=False
    ),
    "an image with the driver's libraries and no GPU": container(
        driver=Driver(module=None, userland=DriverRelease("550.120")), gpus=()
    ),
    "WSL 2": wsl(CU126),
    "WSL 2 with the toolkit package of WSL": wsl(CU126, packages=(package("cuda-toolkit-12-4"),)),
    "WSL 2: sources call the Windows driver by two numbers": wsl(
        CU126,
        sightings=(
            Sighting(fact="driver.userland", value="552.44", source="NVML"),
            Sighting(fact="driver.userland", value="550.90.02", source="/usr/lib/wsl/lib/libcuda.so.1"),
        ),
    ),
    "sources write a name in two ways": machine(
        CU126,
        sightings=(
            Sighting(fact="gpu[0].name", value="NVIDIA GeForce RTX 4090", source="NVML"),
            Sighting(fact="gpu[0].name", value="GeForce RTX 4090", source="nvidia-smi"),
        ),
    ),
    "Docker with the toolkit": machine(docker=docker(runtimes=("runc", "nvidia"), nvidia_toolkit="1.17.0")),
    "Docker with the hook alone": machine(docker=docker(nvidia_toolkit="/usr/bin/nvidia-ctk")),
    "Docker with CDI": machine(docker=docker(cdi_devices=("nvidia.com/gpu=all",))),
    "Docker Desktop": machine(docker=docker(desktop=True)),
    "Docker without an engine": machine(docker=docker(engine=None)),
    "Docker on a machine without GPU": machine(docker=docker(), gpus=(), driver=None),
    "one GPU of two chosen": machine(
        CU126, gpus=(nvidia(), nvidia()), variables=variables(CUDA_VISIBLE_DEVICES="1")
    ),
    "a GPU chosen by its UUID": machine(CU126, variables=variables(CUDA_VISIBLE_DEVICES="GPU-4a5b")),
    "the old GPU is left out": machine(
        dist("torch", "2.14.1", "cu130"),
        driver=driver("580.95.05", "13.0"),
        gpus=(nvidia("NVIDIA GeForce GTX 1080 Ti", "6.1"), nvidia()),
        variables=variables(CUDA_VISIBLE_DEVICES="1", CUDA_DEVICE_ORDER="PCI_BUS_ID"),
    ),
    "a MIG instance": machine(
        CU126, gpus=(nvidia("NVIDIA A100-SXM4-80GB", "8.0", mig=True, mig_instances=2),)
    ),
    "old packages that are removed and not purged": machine(
        packages=(package("libnvidia-compute-550"), package("nvidia-dkms-535", state="config-files"))
    ),
    "an integrated Intel GPU beside an NVIDIA one": machine(CU126, gpus=(nvidia(), Gpu(vendor="intel"))),
    "torch for ROCm on AMD": machine(
        dist("torch", "2.9.1+rocm6.4", "rocm6.4"), gpus=(Gpu(vendor="amd", arch="gfx1100"),), driver=None
    ),
    "torch 2.14 with NumPy 2": machine(CU126, dist("numpy", "2.3.1")),
    "torch 2.2 with NumPy 1": machine(dist("torch", "2.2.2", "cu121"), dist("numpy", "1.26.4")),
    "the CUDA build of a torch family": machine(
        CU126,
        dist("torchvision", "0.29.1+cu126", "cu126", requires=("torch==2.14.1",)),
    ),
    "the twins of OpenCV are one": machine(dist("opencv-python", "4.10.0.84")),
    "cuDNN newer than a pin": machine(
        dist("torch", "2.9.1", "cu128", requires=("nvidia-cudnn-cu12==9.10.2.21",)),
        dist("nvidia-cudnn-cu12", "9.15.0.57"),
    ),
    "libraries of two majors that share no file": machine(
        dist("nvidia-cusparselt-cu12", "0.6.2"), dist("nvidia-cusparselt-cu13", "0.8.1")
    ),
    "a wheel for an older C library": machine(
        dist("torch", "2.14.1+cu126", "cu126", tags=("cp311-cp311-manylinux_2_28_x86_64",))
    ),
    "a Jetson, whose module has another name": machine(
        system=system(arch="aarch64", kernel="5.15.148-tegra"),
        driver=None,
        gpus=(nvidia("Orin (nvgpu)", "8.7"),),
    ),
    "uv is there": machine(CU126, tools=(tool("uv"),)),
}


@pytest.mark.parametrize("case", HEALTHY)
def test_a_healthy_machine_comes_out_healthy(case: str, judged: Callable[[Machine], Diagnosis]) -> None:
    diagnosis = judged(HEALTHY[case])
    assert ids(diagnosis, "error", "warning") == []
    assert not [gap for gap in diagnosis.unknown if gap.fact.startswith("check ")]


@pytest.mark.parametrize("case", HEALTHY)
def test_the_unknown_never_becomes_an_error(case: str, judged: Callable[[Machine], Diagnosis]) -> None:
    """A part of a healthy machine that nobody could look at raises no alarm."""
    whole = HEALTHY[case]
    for part in ("driver", "gpus", "libraries", "environments", "docker", "packages", "variables", "tools"):
        assert ids(judged(msgspec.structs.replace(whole, **{part: UNKNOWN})), "error") == []
    for part in ("os", "name", "kernel", "arch", "libc", "wsl", "container"):
        blind = msgspec.structs.replace(whole.system, **{part: UNKNOWN})
        assert ids(judged(msgspec.structs.replace(whole, system=blind)), "error") == []


def test_a_python_of_unknown_version_raises_no_alarm(judged: Callable[[Machine], Diagnosis]) -> None:
    blind = with_environment(machine(CU126, CUDNN12), python=UNKNOWN)
    assert ids(judged(blind), "error", "warning") == []


def test_a_machine_of_which_nothing_is_known_says_nothing(judged: Callable[[Machine], Diagnosis]) -> None:
    assert judged(Machine()) == Diagnosis()


def test_library_versions_that_nobody_knows_leave_a_gap(judged: Callable[[Machine], Diagnosis]) -> None:
    unknown: Library = library("cudnn", None, "/opt/cudnn/lib/libcudnn.so.9", "libcudnn.so.9")
    diagnosis = judged(
        machine(
            libraries=(unknown, wheel_library("cudnn", "9.10.2.21", "libcudnn.so.9")),
            variables=variables(LD_LIBRARY_PATH="/opt/cudnn/lib"),
        )
    )
    assert ids(diagnosis) == []
    assert [gap.ask for gap in diagnosis.unknown] == ["ls -l /opt/cudnn/lib"]


def test_what_is_asked_for_can_be_pasted(judged: Callable[[Machine], Diagnosis]) -> None:
    """A saved machine may come from anybody."""
    folder = "/opt/$(touch x); rm 'y'"
    unknown = library("cudnn", None, f"{folder}/libcudnn.so.9", "libcudnn.so.9")
    own = wheel_library("cudnn", "9.10.2.21", "libcudnn.so.9")
    (gap,) = judged(machine(libraries=(unknown, own), variables=variables(LD_LIBRARY_PATH=folder))).unknown
    assert shlex.split(gap.ask) == ["ls", "-l", folder]
