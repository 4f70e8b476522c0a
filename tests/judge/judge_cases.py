"""For every finding a machine that trips it, and a near miss that does not."""

from __future__ import annotations

from judge_broken_cases import BROKEN_CASES
from judge_host_cases import HOST_CASES
from judge_install_cases import INSTALL_CASES
from judge_library_cases import LIBRARY_CASES
from judge_machines import (
    container,
    dist,
    docker,
    driver,
    library,
    mac,
    machine,
    nvidia,
    package,
    shared,
    system,
    variables,
    wheel_library,
    windows,
    with_environment,
    wsl,
)
from judge_runtime_cases import RUNTIME_CASES

from dlsetup.model.machine import Driver, Libc, Machine, Sighting
from dlsetup.model.record import UNKNOWN
from dlsetup.model.versions import DriverRelease, LibcVersion

CU126 = dist("torch", "2.14.1+cu126", "cu126")
CU130 = dist("torch", "2.14.1", "cu130", requires=("nvidia-cudnn-cu13==9.24.0.43",))
CPU = dist("torch", "2.14.1+cpu", "cpu")
JAX = (dist("jax", "0.10.2", requires=("jaxlib<=0.10.2,>=0.10.1",)), dist("jaxlib", "0.10.2"))
MODERN = driver("580.95.05", "13.0")
OVERLAP = (dist("nvidia-cudnn-cu12", "9.10.2.21"), dist("nvidia-cudnn-cu13", "9.24.0.43"))
UPDATED = Driver(
    module=DriverRelease("535.183.01"),
    userland=DriverRelease("535.216.01"),
    nvml_error="LIB_RM_VERSION_MISMATCH",
)
NOT_LOADED = Driver(module=None, userland=DriverRelease("550.120"), nvml_error="DRIVER_NOT_LOADED")
SECURE_BOOT = (Sighting(fact="secure boot", value="SecureBoot enabled", source="mokutil"),)


def refusing(name: str) -> Driver:
    return driver(nvml_error=name)


def cudnn_in(folder: str, version: str) -> Machine:
    copy = library("cudnn", version, f"{folder}/libcudnn.so.9", "libcudnn.so.9")
    own = wheel_library("cudnn", "9.10.2.21", "libcudnn.so.9")
    return machine(CU126, libraries=(copy, own), variables=variables(LD_LIBRARY_PATH=f"{folder}:/opt/other"))


CASES: dict[str, tuple[Machine, Machine]] = {
    "no-gpu": (machine(gpus=(), driver=None), machine(gpus=UNKNOWN, driver=None)),
    "container-without-gpu": (container(given=False), container(given=True)),
    "driver-too-old": (machine(CU130), machine(CU130, driver=MODERN)),
    "gpu-arch-not-in-wheel": (
        machine(CU130, driver=MODERN, gpus=(nvidia("Tesla V100-SXM2-16GB", "7.0"),)),
        machine(CU130, driver=MODERN, gpus=(nvidia("Tesla T4", "7.5"),)),
    ),
    "cuda-visible-devices-hides-gpus": (
        machine(variables=variables(CUDA_VISIBLE_DEVICES="2")),
        machine(variables=variables(CUDA_VISIBLE_DEVICES="0,7")),
    ),
    "nvml-driver-library-mismatch": (machine(driver=UPDATED), machine(driver=driver("535.216.01"))),
    "kernel-module-not-loaded": (
        machine(driver=NOT_LOADED),
        machine(driver=NOT_LOADED, system=system(os="windows")),
    ),
    "secure-boot-unsigned-module": (
        machine(driver=NOT_LOADED, sightings=SECURE_BOOT),
        machine(sightings=SECURE_BOOT),
    ),
    "driver-packages-mixed-branches": (
        machine(packages=(package("libnvidia-compute-550"), package("nvidia-dkms-535"))),
        machine(packages=(package("libnvidia-compute-550"), package("nvidia-dkms-550-open"))),
    ),
    "container-lost-gpu-cgroup-reload": (
        container(driver=refusing("UNKNOWN")),
        container(driver=refusing("NOT_SUPPORTED")),
    ),
    "nvml-refuses": (machine(driver=refusing("GPU_IS_LOST")), machine(driver=refusing("NOT_SUPPORTED"))),
    "cpu-only-torch": (
        machine(CPU),
        machine(CPU, gpus=(nvidia("Tesla K40m", "3.5"),), driver=driver("470.256.02")),
    ),
    "cpu-only-tensorflow": (
        machine(dist("tensorflow", "2.21.0", "cpu")),
        machine(dist("tensorflow", "2.21.0", "cpu"), gpus=(), driver=None),
    ),
    "cpu-only-jax": (
        machine(*JAX),
        machine(*JAX, dist("jax-cuda12-plugin", "0.10.2"), dist("jax-cuda12-pjrt", "0.10.2")),
    ),
    "cpu-only-onnxruntime": (
        machine(dist("onnxruntime", "1.26.0")),
        machine(dist("onnxruntime-gpu", "1.26.0")),
    ),
    "jetson-needs-nvidia-wheel": (
        machine(
            dist("torch", "2.5.1", "cpu"),
            system=system(arch="aarch64", kernel="5.15.148-tegra"),
            gpus=(nvidia("Orin (nvgpu)", "8.7"),),
        ),
        machine(
            dist("torch", "2.5.0a0+872d972e41.nv24.08", "cu126"),
            system=system(arch="aarch64", kernel="5.15.148-tegra"),
            gpus=(nvidia("Orin (nvgpu)", "8.7"),),
        ),
    ),
    "dependency-forces-cpu": (
        machine(dist("cpuonly", "2.0", installer="conda")),
        machine(dist("cpuonly", "2.0", installer="conda"), gpus=(), driver=None),
    ),
    "torchvision-torch-mismatch": (
        machine(CU126, dist("torchvision", "0.28.0+cu126", "cu126", requires=("torch==2.13.0",))),
        machine(CU126, dist("torchvision", "0.29.1+cu126", "cu126", requires=("torch==2.14.1",))),
    ),
    "torchaudio-torch-mismatch": (
        machine(dist("torch", "2.8.0+cu126", "cu126"), dist("torchaudio", "2.8.0+cpu", "cpu")),
        machine(dist("torch", "2.8.0+cu126", "cu126"), dist("torchaudio", "2.8.0")),
    ),
    "conda-channels-mixed": (
        machine(
            dist("torch", "1.13.1", installer="conda", origin="defaults cpu_py38h92724a6_0"),
            dist("torchaudio", "0.13.1", installer="conda", origin="pytorch py38_cpu"),
        ),
        machine(
            dist("torch", "1.13.1", installer="conda", origin="pytorch py3.8_cpu_0"),
            dist("torchaudio", "0.13.1", installer="conda", origin="pytorch py38_cpu"),
        ),
    ),
    "mixed-cuda-majors": (
        with_environment(
            machine(CU130, *OVERLAP, driver=MODERN),
            shared_files=(shared("nvidia-cudnn-cu12", "nvidia-cudnn-cu13"),),
        ),
        machine(CU130, *OVERLAP, driver=MODERN),
    ),
    "two-frameworks-share-cudnn": (
        machine(
            dist("torch", "2.5.1+cu118", "cu118", requires=("nvidia-cudnn-cu11==9.1.0.70",)),
            dist("paddlepaddle-gpu", "3.0.0", requires=("nvidia-cudnn-cu11==8.9.5.29",)),
            dist("nvidia-cudnn-cu11", "9.1.0.70"),
        ),
        machine(
            dist("torch", "2.5.1+cu118", "cu118", requires=("nvidia-cudnn-cu11==9.1.0.70",)),
            dist("paddlepaddle-gpu", "3.0.0", requires=("nvidia-cudnn-cu11>=9.1",)),
            dist("nvidia-cudnn-cu11", "9.1.0.70"),
        ),
    ),
    "cudnn-major-mismatch": (
        machine(
            dist("torch", "2.4.1", "cu121", requires=("nvidia-cudnn-cu12==9.1.0.70",)),
            dist("nvidia-cudnn-cu12", "8.9.7.29"),
        ),
        machine(
            dist("torch", "2.4.1", "cu121", requires=("nvidia-cudnn-cu12==9.1.0.70",)),
            dist("nvidia-cudnn-cu12", "9.1.0.70"),
        ),
    ),
    "cudnn-too-old-at-runtime": (
        machine(
            dist("torch", "2.9.1", "cu128", requires=("nvidia-cudnn-cu12==9.10.2.21",)),
            dist("nvidia-cudnn-cu12", "9.1.0.70"),
        ),
        machine(
            dist("torch", "2.9.1", "cu128", requires=("nvidia-cudnn-cu12==9.10.2.21",)),
            dist("nvidia-cudnn-cu12", "9.12.0.46"),
        ),
    ),
    "gpu-too-old-for-cudnn": (
        machine(CU126, dist("nvidia-cudnn-cu12", "9.15.0.57"), gpus=(nvidia("Tesla V100-SXM2-16GB", "7.0"),)),
        machine(CU126, dist("nvidia-cudnn-cu12", "9.10.2.21"), gpus=(nvidia("Tesla V100-SXM2-16GB", "7.0"),)),
    ),
    "onnxruntime-cpu-and-gpu-both": (
        machine(dist("onnxruntime", "1.26.0"), dist("onnxruntime-gpu", "1.26.0")),
        machine(dist("onnxruntime-gpu", "1.26.0")),
    ),
    "tensorflow-cpu-and-gpu-both": (
        machine(dist("tensorflow", "2.15.0", "cu122"), dist("tensorflow-cpu", "2.15.0")),
        machine(
            dist("tensorflow", "2.12.0", requires=("tensorflow-cpu==2.12.0; platform_system != 'Windows'",)),
            dist("tensorflow-cpu", "2.12.0"),
        ),
    ),
    "opencv-twins": (
        machine(dist("opencv-python", "4.10.0.84"), dist("opencv-python-headless", "4.10.0.84")),
        machine(dist("opencv-python-headless", "4.10.0.84")),
    ),
    "duplicate-torch-installs": (
        machine(
            CU126, dist("torch", "2.8.0", "cu128", location="/home/ada/.local/lib/python3.11/site-packages")
        ),
        machine(CU126, CU126),
    ),
    "installed-files-damaged": (
        with_environment(machine(), shared_files=(shared("functorch", "torch", damaged=("torch",)),)),
        with_environment(machine(), shared_files=(shared("functorch", "torch"),)),
    ),
    "ld-library-path-shadows-wheel-libs": (
        cudnn_in("/opt/cudnn/lib", "9.1.0"),
        cudnn_in("/opt/cudnn/lib", "9.10.2"),
    ),
    "numpy2-abi": (
        machine(dist("torch", "2.2.2", "cu121"), dist("numpy", "2.1.0")),
        machine(dist("torch", "2.3.0", "cu121"), dist("numpy", "2.1.0")),
    ),
    "tensorflow-without-cuda-wheels": (
        machine(dist("tensorflow", "2.21.0", "cu125")),
        machine(dist("tensorflow", "2.21.0", "cu125"), libraries=UNKNOWN),
    ),
    "tensorflow-cannot-find-wheel-libs": (
        machine(dist("tensorflow", "2.16.1", "cu123"), dist("nvidia-cudnn-cu12", "8.9.7.29")),
        machine(dist("tensorflow", "2.16.2", "cu123"), dist("nvidia-cudnn-cu12", "8.9.7.29")),
    ),
    "tensorflow-no-gpu-on-native-windows": (
        windows(dist("tensorflow", "2.16.1")),
        wsl(dist("tensorflow", "2.16.1"), dist("nvidia-cudnn-cu12", "8.9.7.29")),
    ),
    "jax-plugin-mismatch": (
        machine(*JAX, dist("jax-cuda12-plugin", "0.10.1")),
        machine(*JAX, dist("jax-cuda12-plugin", "0.10.2"), dist("jax-cuda12-pjrt", "0.10.2")),
    ),
    "jax-jaxlib-mismatch": (
        machine(JAX[0], dist("jaxlib", "0.9.0"), gpus=(), driver=None),
        machine(JAX[0], dist("jaxlib", "0.10.1"), gpus=(), driver=None),
    ),
    "container-toolkit-missing": (machine(docker=docker()), machine(docker=docker(nvidia_toolkit="1.17.0"))),
    "docker-snap-no-gpu-hook": (
        machine(docker=docker(snap=True, nvidia_toolkit="1.17.0")),
        machine(docker=docker(snap=True), gpus=(), driver=None),
    ),
    "wsl1-has-no-gpu": (wsl(version=1, gpus=()), wsl(gpus=())),
    "wsl-linux-driver-shadows-windows-driver": (
        wsl(packages=(package("libnvidia-compute-535"), package("nvidia-utils-535"))),
        wsl(packages=(package("libnvidia-compute-535", state="config-files"), package("cuda-toolkit-12-4"))),
    ),
    "mac-python-is-x86-64": (mac(python="x86_64"), mac(python="aarch64")),
    "macos-too-old-for-mps": (
        mac(dist("torch", "2.0.1", "cpu"), release="12.2.1"),
        mac(dist("torch", "2.0.1", "cpu"), release="12.3"),
    ),
    "shm-too-small": (container(shm_bytes=64 * 2**20), machine(system=system(shm_bytes=64 * 2**20))),
    "glibc-too-old": (
        machine(
            dist("torch", "2.14.1+cu126", "cu126", tags=("cp311-cp311-manylinux_2_28_x86_64",)),
            system=system(libc=Libc(name="glibc", version=LibcVersion("2.17"))),
        ),
        machine(
            dist("torch", "2.14.1+cu126", "cu126", tags=("cp311-cp311-manylinux_2_28_x86_64",)),
            system=system(libc=Libc(name="glibc", version=LibcVersion("2.28"))),
        ),
    ),
    "sources-disagree": (
        machine(
            sightings=(
                Sighting(fact="driver.cuda_ceiling", value="12.4", source="NVML"),
                Sighting(fact="driver.cuda_ceiling", value="12.2", source="nvidia-smi"),
            )
        ),
        machine(
            sightings=(
                Sighting(fact="driver.module", value="550.54", source="NVML"),
                Sighting(fact="driver.userland", value="550.54.15", source="libcuda.so.1"),
            )
        ),
    ),
}

CASES.update(BROKEN_CASES)
CASES.update(HOST_CASES)
CASES.update(RUNTIME_CASES)
CASES.update(LIBRARY_CASES)
CASES.update(INSTALL_CASES)
