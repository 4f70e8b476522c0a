"""The NVIDIA driver: real bindings on a stub library, files that agree and disagree, and no driver."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest
from probe_roots import Builder, Root

from dlsetup.model.machine import Driver, Gpu
from dlsetup.model.record import UNKNOWN
from dlsetup.model.versions import ComputeCapability, CudaVersion, DriverRelease
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes
from dlsetup.probe.nvidia import Nvidia, nvidia
from dlsetup.probe.nvml import ask_nvml

HEALTHY = """\
driver 535.129.03
cuda 12020
gpu NVIDIA GeForce RTX 4090|8|9|25757220864|00000000:01:00.0|-1|0
"""


def seen(root: Root) -> tuple[Nvidia, Notes]:
    notes = Notes()
    return nvidia(root.host(), notes), notes


def driver_of(found: Nvidia) -> Driver:
    assert isinstance(found.driver, Driver)
    return found.driver


def gpus_of(found: Nvidia) -> tuple[Gpu, ...]:
    assert isinstance(found.gpus, tuple)
    return found.gpus


def test_a_healthy_driver(gpu_server: Builder) -> None:
    found, notes = seen(gpu_server(HEALTHY))
    assert found.driver == Driver(
        module=DriverRelease("535.129.03"),
        userland=DriverRelease("535.129.03"),
        cuda_ceiling=CudaVersion("12.2"),
        nvml_error=None,
        found_via="nvml",
    )
    assert found.gpus == (
        Gpu(
            vendor="nvidia",
            name="NVIDIA GeForce RTX 4090",
            arch="sm_89",
            compute_capability=ComputeCapability("8.9"),
            memory_bytes=25757220864,
            mig=None,
            pci="0000:01:00.0",
            found_via="nvml",
        ),
    )
    assert notes.gaps == []
    words = {(item.fact, item.value, item.source) for item in notes.sightings}
    assert ("driver.module", "535.129.03", "/sys/module/nvidia/version") in words
    assert ("driver.module", "535.129.03", "/proc/driver/nvidia/version") in words
    assert ("driver.module", "535.129.03", "NVML") in words
    assert ("driver.cuda_ceiling", "12.2", "NVML") in words
    assert ("gpu[0].name", "NVIDIA GeForce RTX 4090", "NVML") in words


def test_the_loader_finds_the_library_by_itself(nvml: Path, tmp_path: Path) -> None:
    scenario = tmp_path / "scenario"
    scenario.write_text(HEALTHY)
    environ = {**os.environ, "LD_LIBRARY_PATH": str(nvml.parent), "NVML_STUB_SCENARIO": str(scenario)}
    answer = ask_nvml(Host("", environ), Notes(), str(nvml))
    assert answer.error is None
    assert answer.driver == DriverRelease("535.129.03")


def test_a_library_that_the_loader_does_not_know_is_loaded_by_its_path(nvml: Path, tmp_path: Path) -> None:
    scenario = tmp_path / "scenario"
    scenario.write_text(HEALTHY)
    environ = {**os.environ, "NVML_STUB_SCENARIO": str(scenario)}
    answer = ask_nvml(Host("", environ), Notes(), str(nvml))
    assert answer.cuda == CudaVersion("12.2")


def test_two_gpus_of_different_architecture_stay_two(gpu_server: Builder) -> None:
    text = """\
driver 580.65.06
cuda 13000
gpu NVIDIA GeForce GTX 1080 Ti|6|1|11811160064|00000000:01:00.0|-1|0
gpu NVIDIA GeForce RTX 4090|8|9|25757220864|00000000:65:00.0|-1|0
"""
    found, _ = seen(gpu_server(text, module="580.65.06", userland="580.65.06"))
    assert [(gpu.arch, gpu.pci) for gpu in gpus_of(found)] == [
        ("sm_61", "0000:01:00.0"),
        ("sm_89", "0000:65:00.0"),
    ]


def test_mig_instances_are_counted(gpu_server: Builder) -> None:
    text = """\
driver 550.54.15
cuda 12040
gpu NVIDIA A100-SXM4-40GB|8|0|42949672960|00000000:07:00.0|1|3
gpu NVIDIA A100-SXM4-40GB|8|0|42949672960|00000000:0F:00.0|0|0
"""
    found, _ = seen(gpu_server(text))
    assert [(gpu.mig, gpu.mig_instances) for gpu in gpus_of(found)] == [(True, 3), (False, UNKNOWN)]


def test_module_and_libraries_of_two_releases(gpu_server: Builder) -> None:
    root = gpu_server("fail nvmlInitWithFlags 18\n", module="535.154.05", userland="535.161.07")
    found, notes = seen(root)
    driver = driver_of(found)
    assert (driver.module, driver.userland) == (DriverRelease("535.154.05"), DriverRelease("535.161.07"))
    assert driver.nvml_error == "LIB_RM_VERSION_MISMATCH"
    assert driver.cuda_ceiling is UNKNOWN
    assert found.gpus is UNKNOWN
    userland = [item.source for item in notes.sightings if item.fact == "driver.userland"]
    assert userland == [
        "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.535.161.07",
        "/usr/lib/x86_64-linux-gnu/libcuda.so.535.161.07",
    ]


def test_a_module_that_is_not_loaded(root: Root, nvml: Path) -> None:
    root.linux()
    root.driver_libraries("550.120", nvml)
    root.scenario("fail nvmlInitWithFlags 9\n")
    driver = driver_of(seen(root)[0])
    assert driver.module is None
    assert driver.userland == DriverRelease("550.120")
    assert driver.nvml_error == "DRIVER_NOT_LOADED"


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (4, "NO_PERMISSION"),
        (15, "GPU_IS_LOST"),
        (16, "RESET_REQUIRED"),
        (17, "OPERATING_SYSTEM"),
        (999, "UNKNOWN"),
        (12345, "CODE_12345"),
    ],
)
def test_refusals_keep_their_names(gpu_server: Builder, code: int, name: str) -> None:
    found, _ = seen(gpu_server(f"fail nvmlInitWithFlags {code}\n"))
    assert driver_of(found).nvml_error == name


def test_a_lost_gpu_costs_itself_alone(gpu_server: Builder) -> None:
    found, notes = seen(gpu_server(HEALTHY + "fail nvmlDeviceGetHandleByIndex_v2 15\n"))
    driver = driver_of(found)
    assert driver.nvml_error == "GPU_IS_LOST"
    assert driver.cuda_ceiling == CudaVersion("12.2")
    assert [gpu.name for gpu in gpus_of(found)] == [UNKNOWN]
    assert [gap.fact for gap in notes.gaps] == ["gpu[0]"]


def test_a_hang_at_the_start_costs_what_nvml_alone_knows(gpu_server: Builder) -> None:
    root = gpu_server("hang nvmlInitWithFlags\n")
    notes = Notes()
    begin = time.monotonic()
    answer = ask_nvml(root.host(), notes, "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", deadline=0.7)
    assert time.monotonic() - begin < 3
    assert (answer.hung, answer.error, answer.gpus) == (True, UNKNOWN, UNKNOWN)
    assert [(gap.fact, gap.reason) for gap in notes.gaps] == [
        ("driver.nvml", "NVML gave no answer within 0.7 s")
    ]


def test_a_hang_half_way_keeps_what_came_before(gpu_server: Builder) -> None:
    root = gpu_server(HEALTHY + "hang nvmlDeviceGetMemoryInfo\n")
    answer = ask_nvml(root.host(), Notes(), "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", deadline=1.5)
    assert answer.hung
    assert answer.error is None
    assert answer.cuda == CudaVersion("12.2")
    assert isinstance(answer.gpus, tuple)
    assert answer.gpus[0].capability == ComputeCapability("8.9")
    assert answer.gpus[0].memory_bytes is UNKNOWN


def test_an_old_driver_loses_only_what_it_cannot_tell(root: Root, old_nvml: Path) -> None:
    root.linux()
    root.driver_module("390.157")
    root.driver_libraries("390.157", old_nvml)
    root.scenario("driver 390.157\ngpu GeForce GTX 580|2|0|1610612736|0000:01:00.0|-1|0\n")
    found, notes = seen(root)
    driver = driver_of(found)
    assert (driver.nvml_error, driver.cuda_ceiling) == (None, UNKNOWN)
    (gpu,) = gpus_of(found)
    assert (gpu.name, gpu.compute_capability, gpu.mig) == ("GeForce GTX 580", UNKNOWN, UNKNOWN)
    assert {gap.fact: gap.reason for gap in notes.gaps} == {
        "driver.cuda_ceiling": "NVML says FUNCTION_NOT_FOUND",
        "gpu[0].compute_capability": "NVML says FUNCTION_NOT_FOUND",
    }


def test_values_that_cannot_be_are_dropped(gpu_server: Builder) -> None:
    text = "driver \x1b[31mgarbage\ncuda 123456789\ngpu \x07\x1b[2J|99|42|0|nonsense|7|0\n"
    found, notes = seen(gpu_server(text))
    driver = driver_of(found)
    assert driver.module == DriverRelease("535.129.03")
    assert driver.cuda_ceiling is UNKNOWN
    (gpu,) = gpus_of(found)
    assert (gpu.compute_capability, gpu.memory_bytes, gpu.pci, gpu.mig) == (UNKNOWN,) * 4
    assert "\x1b" not in str(gpu.name)
    facts = {gap.fact for gap in notes.gaps}
    assert facts == {"driver.release", "driver.cuda_ceiling", "gpu[0].compute_capability"}


def test_a_library_that_kills_its_process(gpu_server: Builder) -> None:
    found, notes = seen(gpu_server(HEALTHY + "crash nvmlDeviceGetName\n"))
    assert driver_of(found).cuda_ceiling == CudaVersion("12.2")
    assert [gpu.name for gpu in gpus_of(found)] == [UNKNOWN]
    assert [gap.reason for gap in notes.gaps] == ["the process that asked NVML ended with code -6"]


def test_a_file_that_is_no_library(gpu_server: Builder) -> None:
    root = gpu_server(HEALTHY)
    library = root.local("/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.535.129.03")
    library.write_bytes(b"\x7fELF not a library")
    found, _ = seen(root)
    driver = driver_of(found)
    assert driver.module == DriverRelease("535.129.03")
    assert driver.nvml_error == "LIBRARY_NOT_FOUND"


def test_wsl_takes_the_driver_of_windows(root: Root, nvml: Path) -> None:
    root.linux(kernel="5.15.167.4-microsoft-standard-WSL2")
    root.write("/dev/dxg")
    root.folder_at("/usr/lib/wsl/lib")
    shutil.copy(nvml, root.local("/usr/lib/wsl/lib/libnvidia-ml.so.1"))
    root.scenario(
        "driver 560.94\ncuda 12060\ngpu NVIDIA GeForce RTX 4070|8|9|12878610432|00000000:01:00.0|-1|0\n"
    )
    found, _ = seen(root)
    driver = driver_of(found)
    assert (driver.module, driver.userland) == (UNKNOWN, DriverRelease("560.94"))
    assert driver.cuda_ceiling == CudaVersion("12.6")
    assert [gpu.arch for gpu in gpus_of(found)] == ["sm_89"]
