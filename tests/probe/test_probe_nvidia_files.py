"""What files and `nvidia-smi` say of the NVIDIA driver where NVML says nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from probe_roots import Root

from dlsetup.model.machine import Driver
from dlsetup.model.record import UNKNOWN
from dlsetup.model.versions import CudaVersion, DriverRelease
from dlsetup.probe.notes import Notes
from dlsetup.probe.nvidia import Nvidia, nvidia
from dlsetup.probe.nvidia_files import module_release, release_in
from dlsetup.probe.nvidia_smi import ceiling_in, table_rows
from dlsetup.probe.nvml import bus_address


def seen(root: Root) -> tuple[Nvidia, Driver, Notes]:
    notes = Notes()
    found = nvidia(root.host(), notes)
    assert isinstance(found.driver, Driver)
    return found, found.driver, notes


def test_no_driver_at_all(root: Root) -> None:
    root.linux()
    notes = Notes()
    found = nvidia(root.host(), notes)
    assert found == Nvidia(driver=None)
    assert (notes.gaps, notes.sightings) == ([], [])


def test_a_container_that_was_given_no_gpu_sees_the_module_only(root: Root) -> None:
    root.linux()
    root.driver_module("550.54.15")
    root.write("/.dockerenv")
    _, driver, _ = seen(root)
    assert (driver.module, driver.userland) == (DriverRelease("550.54.15"), None)
    assert driver.nvml_error == "LIBRARY_NOT_FOUND"


SMI = """\
case "$*" in
*compute_cap*) echo 'Field "compute_cap" is not a valid field to query.'; exit 2;;
*query-gpu*) echo '0, Tesla K80, 470.256.02, 11441, 00000000:00:1E.0';;
*-x*) echo '<nvidia_smi_log><driver_version>470.256.02</driver_version><cuda_version>11.4</cuda_version>';;
*) echo 'a banner for people'; exit 9;;
esac"""


def test_nvidia_smi_answers_where_there_is_no_library(root: Root) -> None:
    root.linux()
    root.driver_module("470.256.02")
    root.program("/usr/bin/nvidia-smi", SMI)
    found, driver, notes = seen(root)
    assert (driver.cuda_ceiling, driver.found_via) == (CudaVersion("11.4"), "nvidia-smi")
    assert driver.userland == DriverRelease("470.256.02")
    assert isinstance(found.gpus, tuple)
    (gpu,) = found.gpus
    assert (gpu.name, gpu.memory_bytes, gpu.pci) == ("Tesla K80", 11441 << 20, "0000:00:1e.0")
    assert gpu.compute_capability is UNKNOWN
    assert notes.gaps == []


NEWER = """\
case "$*" in
*query-gpu*) echo '0, NVIDIA A100-SXM4-40GB, 610.43.02, 40960, 00000000:07:00.0, 8.0, Enabled'
             echo '1, NVIDIA A100-SXM4-40GB, 610.43.02, [N/A], 00000000:0F:00.0, 8.0, [N/A]';;
*) echo '<kmd_version>610.43.02</kmd_version><cuda_umd_version>13.3</cuda_umd_version>';;
esac"""


def test_a_newer_nvidia_smi_tells_all(root: Root) -> None:
    root.linux()
    root.program("/usr/bin/nvidia-smi", NEWER)
    found, driver, _ = seen(root)
    assert driver.cuda_ceiling == CudaVersion("13.3")
    assert isinstance(found.gpus, tuple)
    assert [(gpu.arch, gpu.mig, gpu.memory_bytes) for gpu in found.gpus] == [
        ("sm_80", True, 40960 << 20),
        ("sm_80", None, UNKNOWN),
    ]


def test_what_nvidia_smi_says_instead_is_told(root: Root) -> None:
    root.linux()
    words = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
    root.program("/usr/bin/nvidia-smi", f'echo "{words}"; exit 9')
    _, driver, notes = seen(root)
    assert driver.module is None
    assert [(gap.fact, gap.reason) for gap in notes.gaps] == [("gpus.nvidia-smi", words)]


@pytest.mark.parametrize("tag", ["cuda_version", "cuda_umd_version"])
def test_both_spellings_of_the_ceiling(tag: str) -> None:
    assert ceiling_in(f"<nvidia_smi_log>\n\t<{tag}>13.3</{tag}>\n") == CudaVersion("13.3")
    assert ceiling_in(f"<{tag}>N/A</{tag}>") is UNKNOWN
    assert ceiling_in(f"<{tag}>3.1</{tag}>") is UNKNOWN


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 2023", "535.129.03"),
        ("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  560.35.03  Release Build", "560.35.03"),
        ("NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  580.65.06  Release", "580.65.06"),
        ("NVRM version: something else", None),
    ],
)
def test_both_layouts_of_the_module_file(text: str, release: str | None) -> None:
    assert module_release(text) == (DriverRelease(release) if release else None)


def test_libcuda_of_a_jetson_names_no_release() -> None:
    assert release_in("1.1") is None
    assert release_in("540.4.0") == DriverRelease("540.4.0")


@given(st.text(max_size=80))
def test_parsers_take_any_text(text: str) -> None:
    module_release(text)
    release_in(text)
    ceiling_in(text)
    bus_address(text)
    assert all(set(row) == {"index", "name"} for row in table_rows(text, ("index", "name")))
