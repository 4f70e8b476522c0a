"""Findings in detail: their weight, their words and the commands that mend them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from judge_cases import CPU, CU126, CU130, JAX, MODERN, OVERLAP
from judge_machines import (
    PATH,
    SITE,
    commands,
    container,
    dist,
    driver,
    environment,
    found,
    ids,
    machine,
    nvidia,
    package,
    shared,
    variables,
    with_environment,
    wsl,
)
from msgspec.structs import replace

from dlsetup.model.finding import Diagnosis
from dlsetup.model.machine import Driver, Gpu, Machine
from dlsetup.model.report import Message, Report
from dlsetup.model.versions import DriverRelease


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


@pytest.mark.parametrize("variant", ["cu126", "cu130", None])
def test_wheels_beside_a_framework_of_conda_go_all_of_them(
    variant: str | None, judged: Callable[[Machine], Diagnosis]
) -> None:
    """conda's torch has its CUDA from conda, so nothing needs the wheels, whatever it was built for."""
    torch = dist("torch", "2.14.1", variant, installer="conda", origin="conda-forge", requires=("numpy",))
    left = with_environment(
        machine(torch, *OVERLAP, driver=MODERN),
        kind="conda",
        shared_files=(shared("nvidia-cudnn-cu12", "nvidia-cudnn-cu13"),),
    )
    finding = found(judged(left), "mixed-cuda-majors")
    assert commands(finding) == [
        f"{PATH}/bin/python -m pip uninstall --yes nvidia-cudnn-cu12 nvidia-cudnn-cu13"
    ]
    assert finding.remedies[0].text.endswith("uninstall them.")


def test_wsl_driver_packages_are_named_one_by_one(judged: Callable[[Machine], Diagnosis]) -> None:
    packages = (package("libnvidia-compute-535"), package("nvidia-utils-535"), package("cuda-drivers"))
    finding = found(judged(wsl(packages=packages)), "wsl-linux-driver-shadows-windows-driver")
    assert commands(finding)[0] == "sudo apt purge libnvidia-compute-535 cuda-drivers"


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


def test_files_of_a_build_from_another_index_come_from_there_again(
    judged: Callable[[Machine], Diagnosis],
) -> None:
    base = with_environment(machine(CU126), shared_files=(shared("functorch", "torch", damaged=("torch",)),))
    assert commands(found(judged(base), "installed-files-damaged")) == [
        f"{PATH}/bin/python -m pip install --force-reinstall --no-deps "
        "--index-url https://download.pytorch.org/whl/cu126 torch==2.14.1+cu126"
    ]


@pytest.mark.parametrize(("vendor", "ask"), [("amd", "rocminfo"), ("intel", "xpu-smi discovery")])
def test_what_serves_an_amd_or_intel_gpu_is_asked_not_guessed(
    vendor: str, ask: str, judged: Callable[[Machine], Diagnosis]
) -> None:
    diagnosis = judged(machine(CPU, gpus=(Gpu(vendor=vendor),), driver=None))
    assert ids(diagnosis) == []
    assert [gap.ask for gap in diagnosis.unknown] == [ask]


def test_cudnn_comes_for_the_cuda_that_the_framework_is_made_with(
    judged: Callable[[Machine], Diagnosis],
) -> None:
    """OneFlow 0.9.0 is made with CUDA 11.7, and brings no cuDNN."""
    lacking = Message(
        signature="cudnn-library-missing",
        values=(("file", "libcudnn_cnn_infer.so.8"), ("linux", "8")),
        text="libcudnn_cnn_infer.so.8: cannot open shared object file",
        source="log:1",
    )
    pasted = replace(machine(dist("oneflow", "0.9.0")), report=Report(messages=(lacking,)))
    named = commands(found(judged(pasted), "cudnn-major-mismatch"))
    assert any("nvidia-cudnn-cu11>=8,<9" in command for command in named), named
