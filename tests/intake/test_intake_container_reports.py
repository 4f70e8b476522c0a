"""Reports from containers, read and judged whole."""

from __future__ import annotations

from functools import cache

import pytest

from dlsetup.catalog.messages import knowledge
from dlsetup.commands.pasted import catalog_of_report, ways
from dlsetup.intake.report import Ways, report_of
from dlsetup.judge.registry import judge
from dlsetup.model.finding import Diagnosis

REFUSED = 'docker: could not select device driver "" with capabilities: [[gpu]].\n'
FULL = "misc/shmutils.cc:72 NCCL WARN Error: failed to extend /dev/shm/nccl-a1 to 1048704 bytes\n"
ERRORS = {
    "which docker\n/snap/bin/docker\n" + REFUSED: {"docker-snap-no-gpu-hook"},
    REFUSED: {"container-toolkit-missing"},
    "cli-version: 1.14.3\n" + REFUSED: {"container-toolkit-missing"},
    FULL: {"shm-too-small"},
    "RuntimeError: DataLoader worker (pid 41) is killed by signal: Bus error.\n": {"shm-too-small"},
    "| NVIDIA-SMI 535.54.03    Driver Version: 535.54.03    CUDA Version: 12.2     |\n"
    "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.6\n": {
        "container-cuda-requirement-unsatisfied",
        "driver-too-old",
    },
    "(container) $ nvidia-smi\nFailed to initialize NVML: Unknown Error\n"
    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.90.07\n": {"container-lost-gpu-cgroup-reload"},
    "$ docker run --gpus all trainer bash\nshm  64M  0  64M  0% /dev/shm\n": set(),
}


@cache
def ready() -> Ways:
    return ways(knowledge())


def diagnosis_of(text: str) -> Diagnosis:
    machine = report_of([("report.txt", text.encode())], ready()).machine
    return judge(machine, catalog_of_report(machine, knowledge(), ()))


@pytest.mark.parametrize("text", ERRORS)
def test_the_errors_are_those_that_the_report_shows(text: str) -> None:
    found = {item.id for item in diagnosis_of(text).findings if item.severity == "error"}
    assert found == ERRORS[text]


def test_a_pod_is_told_of_memory_for_dev_shm() -> None:
    pod = "kind: Pod\nspec:\n  containers:\n  - image: img:1\n"
    finding = next(item for item in diagnosis_of(pod + FULL).findings if item.id == "shm-too-small")
    assert "medium: Memory" in finding.remedies[0].text


def test_a_configured_toolkit_is_not_installed_again() -> None:
    finding = diagnosis_of("cli-version: 1.14.3\n" + REFUSED).findings[0]
    assert all("nvidia-ctk" in item or "systemctl" in item for item in finding.remedies[0].commands)


STANDARD = "ATen/ATen.h:4:2: error: #error C++17 or later compatible compiler is required to use ATen.\n"


def test_a_demand_for_a_newer_standard_concerns_horovod_only_where_it_is_built() -> None:
    built = {item.id for item in diagnosis_of("pip install horovod==0.28.1\n" + STANDARD).findings}
    assert "horovod-release-too-old-for-torch" in built
    assert "horovod-release-too-old-for-torch" not in {item.id for item in diagnosis_of(STANDARD).findings}


def test_horovod_says_that_torch_is_a_cpu_build() -> None:
    said = "Horovod build with GPU support was requested but this PyTorch installation"
    text = f"CMake Error:\n  {said} does not support CUDA.\n"
    found = {item.id for item in diagnosis_of(text).findings if item.severity == "error"}
    assert found == {"cpu-only-torch", "horovod-gpu-needs-cuda-torch"}


SMI = "| NVIDIA-SMI 535.54.03    Driver Version: 535.54.03    CUDA Version: 12.2     |\n"
DOCKERFILE = "FROM ubuntu:22.04\nENV NVIDIA_REQUIRE_CUDA="


@pytest.mark.parametrize(
    ("wanted", "refused"),
    [
        ('"cuda>=12.6"', True),
        ('"cuda>=12.6 brand=tesla,driver>=470,driver<471"', True),
        ('"cuda>=12.6 brand=tesla,driver>=535,driver<536"', False),
        ('"cuda>=12.0"', False),
        ('"cuda>=12.6"\nENV NVIDIA_DISABLE_REQUIRE=1', False),
    ],
)
def test_what_a_recipe_requires_is_held_against_the_driver(wanted: str, refused: bool) -> None:
    found = {item.id for item in diagnosis_of(f"{SMI}{DOCKERFILE}{wanted}\n").findings}
    assert ("container-cuda-requirement-unsatisfied" in found) is refused


def test_a_container_that_runs_was_not_refused() -> None:
    assert diagnosis_of(f"{SMI}$ env\nNVIDIA_REQUIRE_CUDA=cuda>=12.6\n").findings == ()


def test_an_empty_answer_of_lsmod_counts_until_the_driver_is_seen_to_work() -> None:
    card = "01:00.0 VGA compatible controller: NVIDIA Corporation TU106 [GeForce RTX 2060] (rev a1)"
    silent = f"me@box:~$ lsmod | grep nvidia\nme@box:~$ lspci\n{card}\n"
    assert [item.id for item in diagnosis_of(silent).findings] == ["kernel-module-not-loaded"]
    assert diagnosis_of(f"{silent}me@box:~$ nvidia-smi\n{SMI}").findings == ()
