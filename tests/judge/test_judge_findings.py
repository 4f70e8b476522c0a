"""Every finding: a machine that trips it, and a near miss that does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from judge_machines import (
    PATH,
    SITE,
    commands,
    container,
    dist,
    docker,
    driver,
    environment,
    found,
    ids,
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
from msgspec.structs import replace

from dlsetup.judge.registry import every_check
from dlsetup.judge.roles import matches
from dlsetup.model.finding import Diagnosis
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


@pytest.mark.parametrize("finding_id", CASES)
def test_it_is_found(finding_id: str, judged: Callable[[Machine], Diagnosis]) -> None:
    diagnosis = judged(CASES[finding_id][0])
    assert finding_id in ids(diagnosis)
    finding = found(diagnosis, finding_id)
    assert finding.title
    assert not finding.title.endswith(".")
    assert finding.because.endswith(".")
    assert finding.remedies or finding.severity == "note"


@pytest.mark.parametrize("finding_id", CASES)
def test_a_near_miss_is_not_found(finding_id: str, judged: Callable[[Machine], Diagnosis]) -> None:
    assert finding_id not in ids(judged(CASES[finding_id][1]))


def test_every_check_is_tripped_by_a_machine() -> None:
    patterns = [pattern for item in every_check() for pattern in item.ids]
    missing = [pattern for pattern in patterns if not any(matches(pattern, case) for case in CASES)]
    assert missing == []


@pytest.mark.parametrize("finding_id", CASES)
def test_findings_have_the_ids_that_checks_promise(
    finding_id: str, judged: Callable[[Machine], Diagnosis]
) -> None:
    patterns = [pattern for item in every_check() for pattern in item.ids]
    for one in ids(judged(CASES[finding_id][0])):
        assert any(matches(pattern, one) for pattern in patterns)


@pytest.mark.parametrize("finding_id", CASES)
def test_no_advice_does_harm(finding_id: str, judged: Callable[[Machine], Diagnosis]) -> None:
    """No LD_LIBRARY_PATH, no glob that a shell expands, no driver inside WSL or a container."""
    for case in CASES[finding_id]:
        diagnosis = judged(case)
        for finding in diagnosis.findings:
            for command in commands(finding):
                assert "LD_LIBRARY_PATH=" not in command
                assert "*" not in command.replace("'jaxlib=*=cuda*'", "")
                if case.system.wsl or case.system.container:
                    assert "ubuntu-drivers" not in command
                    assert "install nvidia-driver" not in command


def test_the_same_release_from_an_index_that_the_driver_serves(
    judged: Callable[[Machine], Diagnosis],
) -> None:
    old = driver("535.129.03", "12.2")
    finding = found(judged(machine(CU130, *OVERLAP[1:], driver=old)), "driver-too-old")
    python = f"{PATH}/bin/python -m pip"
    assert commands(finding)[:2] == [
        f"{python} uninstall --yes nvidia-cudnn-cu13",
        f"{python} install --index-url https://download.pytorch.org/whl/cu126 torch==2.14.1+cu126",
    ]
    assert "driver 535.129.03" in finding.because
    assert finding.rests_on


def test_no_newer_driver_is_offered_for_a_gpu_that_none_supports(
    judged: Callable[[Machine], Diagnosis],
) -> None:
    kepler = machine(
        dist("torch", "2.5.1+cu121", "cu121"),
        driver=driver("470.256.02", "11.4"),
        gpus=(nvidia("Tesla K80", "3.7"),),
    )
    finding = found(judged(kepler), "driver-too-old")
    assert not any("ubuntu-drivers" in command for command in commands(finding))


@pytest.mark.parametrize(
    ("base", "scope"),
    [
        (machine(CU130), "host"),
        (container(CU130), "container-host"),
        (wsl(CU130), "windows"),
    ],
)
def test_a_driver_is_renewed_where_it_lives(
    base: Machine, scope: str, judged: Callable[[Machine], Diagnosis]
) -> None:
    finding = found(judged(base), "driver-too-old")
    assert [remedy.scope for remedy in finding.remedies] == ["environment", scope]


def test_a_compatibility_package_leaves_the_question_open(judged: Callable[[Machine], Diagnosis]) -> None:
    diagnosis = judged(machine(CU130, packages=(package("cuda-compat-13-0"),)))
    assert ids(diagnosis, "error") == []
    assert "cuda-compat-13-0" in diagnosis.unknown[0].reason


def test_a_driver_of_unknown_release_asks_for_it(judged: Callable[[Machine], Diagnosis]) -> None:
    blind = Driver(nvml_error=None)
    diagnosis = judged(machine(CU130, driver=blind, gpus=(nvidia(),)))
    assert ids(diagnosis, "error") == []
    assert any(gap.ask.startswith("nvidia-smi --query-gpu=driver_version") for gap in diagnosis.unknown)


def test_every_gpu_counts_and_the_served_ones_are_named(judged: Callable[[Machine], Diagnosis]) -> None:
    both = machine(CU130, driver=MODERN, gpus=(nvidia("NVIDIA GeForce GTX 1080 Ti", "6.1"), nvidia()))
    finding = found(judged(both), "gpu-arch-not-in-wheel")
    assert "GTX 1080 Ti" in finding.title
    assert "RTX 4090" not in finding.title
    assert commands(finding)[-1] == "export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1"


def test_a_choice_among_unlike_gpus_leaves_the_question_open(judged: Callable[[Machine], Diagnosis]) -> None:
    """Without CUDA_DEVICE_ORDER the fastest GPU has number 0, which nobody here can tell."""
    chosen = machine(
        CU130,
        driver=MODERN,
        gpus=(nvidia("NVIDIA GeForce GTX 1080 Ti", "6.1"), nvidia()),
        variables=variables(CUDA_VISIBLE_DEVICES="0"),
    )
    diagnosis = judged(chosen)
    assert ids(diagnosis, "error") == []
    assert [gap.fact for gap in diagnosis.unknown] == ["visible GPUs"]


@pytest.mark.parametrize(
    ("value", "severity"), [("", "error"), ("-1", "warning"), ("NoDevFiles", "error"), ("3", "error")]
)
def test_hiding_on_purpose_is_a_lesser_matter(
    value: str, severity: str, judged: Callable[[Machine], Diagnosis]
) -> None:
    diagnosis = judged(machine(variables=variables(CUDA_VISIBLE_DEVICES=value)))
    assert found(diagnosis, "cuda-visible-devices-hides-gpus").severity == severity


def test_a_cpu_build_beside_a_framework_on_the_gpu_may_be_meant(
    judged: Callable[[Machine], Diagnosis],
) -> None:
    diagnosis = judged(machine(CU126, *JAX))
    assert found(diagnosis, "cpu-only-jax").severity == "warning"


def test_frameworks_move_to_the_cuda_major_that_all_have(judged: Callable[[Machine], Diagnosis]) -> None:
    both = with_environment(
        machine(
            CU130,
            dist("tensorflow", "2.21.0", "cu125"),
            *OVERLAP,
            *(dist(name, "12.9") for name in TENSORFLOW_LIBRARIES),
            driver=MODERN,
        ),
        shared_files=(shared("nvidia-cudnn-cu12", "nvidia-cudnn-cu13", damaged=("nvidia-cudnn-cu13",)),),
    )
    finding = found(judged(both), "mixed-cuda-majors")
    python = f"{PATH}/bin/python -m pip"
    assert commands(finding) == [
        f"{python} uninstall --yes nvidia-cudnn-cu13",
        f"{python} install --index-url https://download.pytorch.org/whl/cu126 torch==2.14.1+cu126",
        f"{python} install --force-reinstall --no-deps nvidia-cudnn-cu12==9.10.2.21",
    ]
    assert any(item.value == "its files were overwritten" for item in finding.evidence)


TENSORFLOW_LIBRARIES = tuple(
    f"nvidia-{name}-cu12"
    for name in (
        "cublas",
        "cuda-cupti",
        "cuda-nvcc",
        "cuda-nvrtc",
        "cuda-runtime",
        "cufft",
        "curand",
        "cusolver",
        "cusparse",
        "nccl",
        "nvjitlink",
    )
)


def test_what_nothing_asks_for_is_removed_and_the_rest_written_again(
    judged: Callable[[Machine], Diagnosis],
) -> None:
    left = with_environment(
        machine(CU130, *OVERLAP, driver=MODERN),
        shared_files=(shared("nvidia-cudnn-cu12", "nvidia-cudnn-cu13"),),
    )
    finding = found(judged(left), "mixed-cuda-majors")
    assert commands(finding) == [
        f"{PATH}/bin/python -m pip uninstall --yes nvidia-cudnn-cu12",
        f"{PATH}/bin/python -m pip install --force-reinstall --no-deps nvidia-cudnn-cu13==9.24.0.43",
    ]


def test_wsl_driver_packages_are_named_one_by_one(judged: Callable[[Machine], Diagnosis]) -> None:
    packages = (package("libnvidia-compute-535"), package("nvidia-utils-535"), package("cuda-drivers"))
    finding = found(judged(wsl(packages=packages)), "wsl-linux-driver-shadows-windows-driver")
    assert commands(finding)[0] == "sudo apt purge libnvidia-compute-535 cuda-drivers"


def test_wsl1_is_an_error_only_for_who_wants_the_gpu(judged: Callable[[Machine], Diagnosis]) -> None:
    assert found(judged(wsl(version=1, gpus=())), "wsl1-has-no-gpu").severity == "warning"
    assert found(judged(wsl(CU126, version=1, gpus=())), "wsl1-has-no-gpu").severity == "error"


def test_a_newer_copy_in_the_library_path_is_a_lesser_matter(judged: Callable[[Machine], Diagnosis]) -> None:
    older = found(judged(cudnn_in("/opt/cudnn/lib", "9.1.0")), "ld-library-path-shadows-wheel-libs")
    newer = found(judged(cudnn_in("/opt/cudnn/lib", "9.15.0")), "ld-library-path-shadows-wheel-libs")
    assert (older.severity, newer.severity) == ("error", "warning")


def test_numpy_bounds_of_the_framework_itself_count(judged: Callable[[Machine], Diagnosis]) -> None:
    pinned = dist("tensorflow", "2.17.0", "cu123", requires=("numpy<2.0.0,>=1.26.0",))
    finding = found(
        judged(machine(pinned, dist("numpy", "2.0.1"), dist("nvidia-cudnn-cu12", "8.9.7.29"))), "numpy2-abi"
    )
    assert "tensorflow 2.17.0 asks for numpy" in finding.because
    assert commands(finding) == [f"{PATH}/bin/python -m pip install 'numpy<2'"]


def test_an_environment_of_the_system_is_left_alone(judged: Callable[[Machine], Diagnosis]) -> None:
    base = machine(environments=(environment(CPU, kind="system", path="/usr", externally_managed=True),))
    assert commands(found(judged(base), "cpu-only-torch")) == ["dlsetup create env torch-gpu torch"]


def test_conda_takes_its_own_packages_back(judged: Callable[[Machine], Diagnosis]) -> None:
    torch = dist("torch", "2.5.1", "cpu", installer="conda", origin="conda-forge cpu_generic_py311")
    base = machine(environments=(environment(torch, kind="conda", path="/opt/conda/envs/dl work"),))
    assert commands(found(judged(base), "cpu-only-torch")) == [
        "conda install --prefix '/opt/conda/envs/dl work' --channel conda-forge pytorch-gpu=2.5"
    ]


def test_the_default_build_replaces_one_with_a_local_version(judged: Callable[[Machine], Diagnosis]) -> None:
    """An installer takes 2.14.1+cpu for 2.14.1 and would do nothing."""
    base = machine(CPU, driver=MODERN)
    first, second = commands(found(judged(base), "cpu-only-torch"))
    assert first == f"{PATH}/bin/python -m pip uninstall --yes torch"
    assert second == f"{PATH}/bin/python -m pip install torch==2.14.1"


def test_a_container_never_blames_the_module_for_a_missing_gpu(
    judged: Callable[[Machine], Diagnosis],
) -> None:
    base = container(CU126, driver=Driver(module=None, userland=DriverRelease("550.120")), gpus=())
    assert ids(judged(base), "error") == []
    seen = replace(base, gpus=(nvidia(),))
    finding = found(judged(seen), "kernel-module-not-loaded")
    assert {remedy.scope for remedy in finding.remedies} == {"container-host"}


def test_places_are_in_the_evidence(judged: Callable[[Machine], Diagnosis]) -> None:
    finding = found(judged(machine(CPU)), "cpu-only-torch")
    assert {item.source for item in finding.evidence} >= {SITE, "nvml"}
