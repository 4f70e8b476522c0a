"""TensorFlow's and JAX's worlds as people run them: old wheels on the system's CUDA, companions, AMD GPUs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from judge_machines import dist, driver, environment, ids, library, machine, nvidia, windows
from packaging.version import Version

from dlsetup.model.finding import Diagnosis
from dlsetup.model.machine import Gpu, Machine
from dlsetup.model.record import UNKNOWN

CUDA118 = (
    library("cudart", "11.8.89", "/usr/local/cuda-11.8/lib64/libcudart.so.11.0", "libcudart.so.11.0"),
    library("cudnn", "8.6.0", "/usr/lib/x86_64-linux-gnu/libcudnn.so.8", "libcudnn.so.8"),
)
MI300X = Gpu(vendor="amd", name="AMD Instinct MI300X", arch="gfx942", compute_capability=None)
NUMPY1 = dist("numpy", "1.26.4")
CUDNN12 = dist("nvidia-cudnn-cu12", "9.3.0.75")
TF221 = (dist("tensorflow", "2.21.0", "cu125"), CUDNN12)
JAX13 = (
    dist("jax", "0.10.2", requires=("jaxlib<=0.10.2,>=0.10.1",)),
    dist("jaxlib", "0.10.2"),
    dist("jax-cuda13-plugin", "0.10.2"),
    dist("jax-cuda13-pjrt", "0.10.2"),
)
JAX_ROCM = (
    dist("jax", "0.12.0", requires=("jaxlib<=0.12.0,>=0.11.2",)),
    dist("jaxlib", "0.12.0"),
    dist("jax-rocm7-plugin", "0.12.0"),
    dist("jax-rocm7-pjrt", "0.12.0"),
)

STACKS: dict[str, Machine] = {
    "TensorFlow 2.13 on the CUDA of the system": machine(
        dist("tensorflow", "2.13.1", "cu118"), dist("keras", "2.13.1"), NUMPY1, libraries=CUDA118
    ),
    "TensorFlow 2.13, and nobody looked for libraries": machine(
        dist("tensorflow", "2.13.1", "cu118"), dist("keras", "2.13.1"), NUMPY1, libraries=UNKNOWN
    ),
    "TensorFlow 2.10 on Windows itself": windows(dist("tensorflow", "2.10.1"), NUMPY1),
    "TensorFlow 2.10 on Windows without a GPU": windows(dist("tensorflow", "2.10.1"), NUMPY1, gpus=()),
    "TensorFlow where there is no GPU": machine(dist("tensorflow", "2.21.0"), gpus=(), driver=None),
    "TensorFlow with what comes along": machine(
        *TF221, dist("keras", "3.15.1"), dist("tensorboard", "2.21.0"), dist("tf-keras", "2.21.0")
    ),
    "tensorflow-cpu, chosen by its name, and Keras": machine(
        dist("tensorflow-cpu", "2.20.0", "cpu"), dist("keras", "3.15.1")
    ),
    "tensorflow-cpu 2.13 and its Keras": machine(
        dist("tensorflow-cpu", "2.13.1", "cpu"), dist("keras", "2.13.1"), NUMPY1
    ),
    "TensorFlow of AMD": machine(dist("tensorflow-rocm", "2.14.0.600"), NUMPY1, gpus=(MI300X,), driver=None),
    "Keras on torch": machine(
        dist("keras", "3.15.1"), dist("torch", "2.14.1", "cu130"), driver=driver("580.95.05", "13.0")
    ),
    "JAX with Flax and Optax": machine(
        *JAX13, dist("flax", "0.12.8"), dist("optax", "0.2.8"), driver=driver("580.95.05", "13.0")
    ),
    "JAX on an AMD GPU": machine(
        *JAX_ROCM,
        gpus=(MI300X,),
        driver=None,
        environments=(environment(*JAX_ROCM, python=Version("3.12.7")),),
    ),
    "JAX 0.4.20 for the CPU": machine(
        dist("jax", "0.4.20"), dist("jaxlib", "0.4.20"), NUMPY1, gpus=(), driver=None
    ),
    "tflite-runtime beside a GPU that it does not use": machine(
        dist("tflite-runtime", "2.14.0"), NUMPY1, gpus=(nvidia(),)
    ),
}


@pytest.mark.parametrize("stack", STACKS)
def test_it_comes_out_well(stack: str, judged: Callable[[Machine], Diagnosis]) -> None:
    diagnosis = judged(STACKS[stack])
    assert ids(diagnosis, "error", "warning") == []
    assert not [gap for gap in diagnosis.unknown if gap.fact.startswith("check ")]


def test_tensorflow_since_2_11_has_no_gpu_on_windows_itself(judged: Callable[[Machine], Diagnosis]) -> None:
    diagnosis = judged(windows(dist("tensorflow", "2.11.0"), NUMPY1))
    assert "tensorflow-no-gpu-on-native-windows" in ids(diagnosis, "error")
