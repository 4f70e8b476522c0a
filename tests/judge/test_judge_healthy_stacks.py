"""Whole stacks as people run them, which work: no error and no warning."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from judge_machines import (
    container,
    dist,
    driver,
    environment,
    ids,
    machine,
    nvidia,
    package,
    system,
    variables,
    wsl,
)

from dlsetup.model.finding import Diagnosis
from dlsetup.model.machine import Gpu, Libc, Machine
from dlsetup.model.versions import LibcVersion

D580 = driver("580.95.05", "13.0")
TORCH = dist("torch", "2.14.1", "cu130")
JAX13 = (
    dist("jax", "0.10.2", requires=("jaxlib<=0.10.2,>=0.10.1",)),
    dist("jaxlib", "0.10.2"),
    dist("jax-cuda13-plugin", "0.10.2"),
    dist("jax-cuda13-pjrt", "0.10.2"),
)
LIBRARIES12 = tuple(
    dist(f"nvidia-{name}-cu12", "12.5.0")
    for name in ("cublas", "cuda-runtime", "cufft", "cusolver", "cusparse", "nvjitlink", "curand")
)


def conda(*packages: tuple[str, str, str]) -> Machine:
    own = (dist(name, version, installer="conda", origin=origin) for name, version, origin in packages)
    return machine(environments=(environment(*own, kind="conda", path="/opt/conda"),))


STACKS: dict[str, Machine] = {
    "JAX and torch on CUDA 13 together": machine(
        TORCH, *JAX13, dist("nvidia-cudnn-cu13", "9.24.0.43"), dist("nvidia-nccl-cu13", "2.29.7"), driver=D580
    ),
    "a CUDA 12 library of another name is left over beside CUDA 13": machine(
        TORCH, dist("nvidia-cuda-runtime-cu12", "12.8.90"), driver=D580
    ),
    "tensorflow-cpu by choice": machine(dist("tensorflow-cpu", "2.20.0", "cpu"), driver=D580),
    "tensorflow-cpu beside torch for CUDA": machine(
        TORCH, dist("tensorflow-cpu", "2.20.0", "cpu"), driver=D580
    ),
    "TensorFlow with all of its libraries": machine(
        dist("tensorflow", "2.20.0", "cu125"),
        *LIBRARIES12,
        dist("nvidia-cudnn-cu12", "9.3.0.75"),
        dist("nvidia-nccl-cu12", "2.23.4"),
    ),
    "onnxruntime-gpu alone": machine(dist("onnxruntime-gpu", "1.23.0"), driver=D580),
    "a later patch of a JAX plugin": machine(
        dist("jax", "0.4.34", requires=("jaxlib<=0.4.34,>=0.4.34",)),
        dist("jaxlib", "0.4.34"),
        dist("jax-cuda12-plugin", "0.4.34.post1"),
        dist("jax-cuda12-pjrt", "0.4.34"),
    ),
    "driver 570 runs CUDA 12.9": machine(
        dist("torch", "2.8.0+cu129", "cu129"), driver=driver("570.86.10", "12.8")
    ),
    "eight Blackwell GPUs": machine(TORCH, driver=D580, gpus=(nvidia("NVIDIA B200", "10.0"),) * 8),
    "an RTX 5090 from CUDA 12.8 on": machine(
        dist("torch", "2.7.1", "cu128"),
        driver=driver("570.124.06", "12.8"),
        gpus=(nvidia("NVIDIA GeForce RTX 5090", "12.0"),),
    ),
    "a T4 on CUDA 12.6": machine(
        dist("torch", "2.14.1+cu126", "cu126"), gpus=(nvidia("Tesla T4", "7.5"),), driver=driver()
    ),
    "processor graphics of two vendors": machine(
        TORCH, driver=D580, gpus=(nvidia(), Gpu(vendor="intel"), Gpu(vendor="amd"))
    ),
    "seven MIG instances": machine(
        TORCH, driver=D580, gpus=(nvidia("NVIDIA H100", "9.0", mig=True, mig_instances=7),)
    ),
    "a Grace Hopper": machine(
        TORCH, driver=D580, system=system(arch="aarch64"), gpus=(nvidia("NVIDIA GH200 480GB", "9.0"),)
    ),
    "torch in a container of NVIDIA": container(
        dist("torch", "2.7.0a0+7c8ec84dab.nv25.3", "cu128"),
        dist("torchvision", "0.22.0a0"),
        dist("numpy", "1.26.4"),
        driver=driver("570.86.10", "12.8"),
    ),
    "torch of NVIDIA on a Jetson": machine(
        dist("torch", "2.5.0a0+872d972e41.nv24.8", "cu126"),
        system=system(arch="aarch64", kernel="5.15.148-tegra"),
        driver=driver("540.4.0", "12.6"),
        gpus=(nvidia("Orin", "8.7"),),
    ),
    "torch from its source tree": machine(
        dist("torch", "2.15.0a0+gitabc1234", "cu130", location="/src/pytorch"), driver=D580
    ),
    "a nightly pair": machine(
        dist("torch", "2.15.0.dev20261101+cu130", "cu130"),
        dist("torchvision", "0.30.0.dev20261101+cu130", "cu130"),
        driver=D580,
    ),
    "torch of conda-forge beside its NumPy 2": conda(
        ("torch", "2.8.0", "conda-forge cuda126_mkl_py311"), ("numpy", "2.2.0", "conda-forge py311")
    ),
    "cuDNN of conda beside that of a wheel": machine(
        environments=(
            environment(
                dist("torch", "2.5.1", "cu124", installer="conda", origin="pytorch py3.11_cuda12.4"),
                dist("cudnn", "9.1.0", installer="conda"),
                dist("nvidia-cudnn-cu12", "9.1.0.70"),
                kind="conda",
                path="/opt/conda",
            ),
        )
    ),
    "the same NumPy in the user site": machine(
        TORCH,
        dist("numpy", "2.1.0"),
        dist("numpy", "2.1.0", location="/home/ada/.local/lib/python3.11/site-packages"),
        driver=D580,
    ),
    "LD_LIBRARY_PATH with folders that hold nothing of CUDA": machine(
        TORCH, driver=D580, variables=variables(LD_LIBRARY_PATH="/opt/rh/lib::/usr/lib:.:/home/x")
    ),
    "WSL 2 with a toolkit in LD_LIBRARY_PATH": wsl(
        dist("torch", "2.14.1+cu126", "cu126"),
        variables=variables(LD_LIBRARY_PATH="/usr/lib/wsl/lib:/usr/local/cuda/lib64"),
    ),
    "JAX on a TPU": machine(
        dist("jax", "0.10.2"),
        dist("jaxlib", "0.10.2"),
        dist("libtpu", "0.0.21"),
        gpus=(Gpu(vendor="google", arch="tpu-v5e"),),
        driver=None,
    ),
    "musl without a GPU": machine(
        gpus=(), driver=None, system=system(libc=Libc(name="musl", version=LibcVersion("1.2.4")))
    ),
    "driver packages of one branch": machine(
        packages=tuple(
            package(name) for name in ("libnvidia-compute-550", "nvidia-utils-550", "nvidia-dkms-550-open")
        )
    ),
}


@pytest.mark.parametrize("stack", STACKS)
def test_a_stack_that_works_comes_out_well(stack: str, judged: Callable[[Machine], Diagnosis]) -> None:
    diagnosis = judged(STACKS[stack])
    assert ids(diagnosis, "error", "warning") == []
    assert not [gap for gap in diagnosis.unknown if gap.fact.startswith("check ")]
