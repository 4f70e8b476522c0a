"""Machine code runs inside its major, PTX upward, and a build must serve every GPU."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.model.framework import Build
from dlsetup.model.hardware import Hardware
from dlsetup.model.machine import Gpu
from dlsetup.model.record import UNKNOWN
from dlsetup.model.target import Target
from dlsetup.model.versions import ComputeCapability, CudaVersion, DriverRelease
from dlsetup.rules.gpus import capability_by_name, capability_of, title_of
from dlsetup.rules.kernels import cubin_runs_on, has_device, kernels_run_on, serves_every_gpu

CAPABILITIES = [
    *("5.0", "5.2", "5.3", "6.0", "6.1", "6.2", "7.0", "7.2", "7.5", "8.0", "8.6", "8.7", "8.9", "9.0"),
    *("10.0", "10.1", "10.3", "11.0", "12.0", "12.1"),
]
TARGET = Target(os="linux", wsl=False, driver=DriverRelease("570.26"))

capabilities = st.sampled_from(CAPABILITIES).map(ComputeCapability)
lists = st.one_of(st.just(UNKNOWN), st.lists(capabilities, max_size=5).map(tuple))
toolkits = st.sampled_from(["11.8", "12.6", "12.8", "13.0", "13.2"]).map(CudaVersion)
drivers = st.sampled_from(["470.82.01", "535.129.03", "570.26", "580.65.06", "595.45.04"]).map(DriverRelease)


def nvidia(capability: str | ComputeCapability) -> Gpu:
    return Gpu(vendor="nvidia", compute_capability=ComputeCapability(str(capability)))


def build(**parts: object) -> Build:
    common = {
        "framework": "torch",
        "version": Version("2.7.0"),
        "variant": "cu128",
        "accelerator": "cuda",
        "cuda": CudaVersion("12.8"),
        "wheels": (),
        "requires_python": SpecifierSet(),
        "index": "default",
        "requirements": ("torch==2.7.0",),
        "sources": ("row",),
    }
    return Build(**{**common, **parts})  # type: ignore[arg-type]


def arches(text: str) -> tuple[ComputeCapability, ...]:
    return tuple(map(ComputeCapability, text.split()))


builds = st.builds(
    lambda kernels, ptx, cuda, least: build(kernels=kernels, ptx=ptx, cuda=cuda, min_capability=least),
    lists,
    lists,
    toolkits,
    st.one_of(st.just(UNKNOWN), capabilities),
)
gpus = st.lists(capabilities.map(nvidia), max_size=3).map(tuple)


@pytest.mark.parametrize(
    ("code", "gpu", "cuda", "runs"),
    [
        ("8.0", "8.9", "12.8", True),
        ("8.9", "8.0", "12.8", False),
        ("8.6", "9.0", "12.8", False),
        ("6.0", "6.1", "12.6", True),
        ("6.0", "6.2", "12.6", False),
        ("5.2", "5.3", "12.6", False),
        ("5.3", "5.3", "10.2", True),
        ("8.6", "8.7", "13.0", False),
        ("8.6", "8.7", "13.2", True),
        ("8.7", "8.9", "13.2", False),
        ("7.0", "7.5", "12.8", True),
        ("10.0", "10.3", "12.9", True),
        ("10.0", "10.1", "12.8", False),
        ("10.1", "11.0", "12.8", True),
        ("10.0", "11.0", "13.0", False),
        ("12.0", "12.1", "13.0", True),
        ("12.0", "10.0", "13.0", False),
    ],
)
def test_machine_code(code: str, gpu: str, cuda: str, runs: bool) -> None:
    assert cubin_runs_on(ComputeCapability(code), ComputeCapability(gpu), CudaVersion(cuda)) is runs


@given(capabilities, capabilities, toolkits)
def test_machine_code_stays_within_its_major(
    code: ComputeCapability, gpu: ComputeCapability, cuda: CudaVersion
) -> None:
    thor = {str(code), str(gpu)} == {"10.1", "11.0"}
    if cubin_runs_on(code, gpu, cuda) and not thor:
        assert code.major == gpu.major
        assert code <= gpu


@pytest.mark.parametrize(
    ("exact", "capability", "expected"),
    [
        ("", "12.0", "yes"),
        ("", "12.1", "yes"),
        ("12.0", "12.0", "yes"),
        ("12.0", "12.1", "no"),
        ("9.0", "12.1", "yes"),
    ],
)
def test_code_for_one_capability_runs_on_no_other(
    exact: str, capability: str, expected: str, hardware: Hardware
) -> None:
    made = build(kernels=arches("9.0 12.0"), exact=arches(exact), ptx=(), cuda=CudaVersion("13.0"))
    assert kernels_run_on(made, nvidia(capability), TARGET, hardware).answer == expected


@pytest.mark.parametrize(
    ("capability", "driver", "expected"),
    [
        ("8.9", "535.129.03", "yes"),
        ("12.0", "535.129.03", "no"),
        ("12.0", "570.26", "yes"),
        ("7.0", "570.26", "no"),
        ("12.1", "571.59", "unknown"),
    ],
)
def test_ptx_needs_a_driver_that_knows_its_cuda(
    capability: str, driver: str, expected: str, hardware: Hardware
) -> None:
    made = build(kernels=arches("7.5 8.0 8.6 9.0"), ptx=arches("9.0"))
    target = msgspec.structs.replace(TARGET, driver=DriverRelease(driver))
    assert kernels_run_on(made, nvidia(capability), target, hardware).answer == expected


def test_unknown_lists_are_unknown_unless_a_minimum_refuses(hardware: Hardware) -> None:
    made = build()
    assert kernels_run_on(made, nvidia("8.9"), TARGET, hardware).answer == "unknown"
    least = msgspec.structs.replace(made, min_capability=ComputeCapability("7.5"))
    assert kernels_run_on(least, nvidia("8.9"), TARGET, hardware).answer == "unknown"
    assert kernels_run_on(least, nvidia("7.0"), TARGET, hardware).refused
    ended = msgspec.structs.replace(made, cuda=CudaVersion("13.0"))
    refusal = kernels_run_on(ended, nvidia("6.1"), TARGET, hardware)
    assert refusal.refused
    assert refusal.because == "CUDA 13.0 supports GPUs from sm_75 on"


def test_builds_of_another_vendor_are_refused(hardware: Hardware) -> None:
    radeon = Gpu(vendor="amd", name="Radeon RX 7900 XTX", arch="gfx1100")
    assert kernels_run_on(build(), radeon, TARGET, hardware).refused
    rocm = build(variant="rocm7.1", accelerator="rocm", cuda=None)
    assert kernels_run_on(rocm, radeon, TARGET, hardware).answer == "unknown"
    assert kernels_run_on(rocm, nvidia("8.0"), TARGET, hardware).refused
    cpu = build(variant="cpu", accelerator="cpu", cuda=None)
    assert kernels_run_on(cpu, radeon, TARGET, hardware).ok
    mps = build(variant="mps", accelerator="mps", cuda=None)
    assert kernels_run_on(mps, Gpu(vendor="apple", arch="apple-m2"), TARGET, hardware).ok


def test_graphics_of_the_processor_refuse_nothing(hardware: Hardware) -> None:
    target = msgspec.structs.replace(TARGET, gpus=(Gpu(vendor="intel"), nvidia("8.9")))
    made = build(kernels=arches("8.0"), ptx=())
    assert serves_every_gpu(made, target, hardware).ok
    assert has_device("cuda", target).ok
    assert has_device("rocm", target).refused
    assert has_device("cpu", target).ok
    assert has_device("cuda", Target()).answer == "unknown"


@given(builds, gpus, capabilities, drivers)
def test_another_gpu_never_adds_a_fitting_build(
    hardware: Hardware, made: Build, few: tuple[Gpu, ...], more: ComputeCapability, driver: DriverRelease
) -> None:
    target = msgspec.structs.replace(TARGET, driver=driver, gpus=few)
    larger = msgspec.structs.replace(target, gpus=(*few, nvidia(more)))
    before = serves_every_gpu(made, target, hardware).answer
    after = serves_every_gpu(made, larger, hardware).answer
    assert ["no", "unknown", "yes"].index(after) <= ["no", "unknown", "yes"].index(before)


@given(
    builds,
    gpus,
    drivers,
    st.sets(st.sampled_from(["kernels", "ptx"])),
    st.sets(st.sampled_from(["gpus", "driver"])),
)
def test_unknown_never_becomes_yes_by_removing_facts(
    hardware: Hardware,
    made: Build,
    few: tuple[Gpu, ...],
    driver: DriverRelease,
    of_build: set[str],
    of_target: set[str],
) -> None:
    target = msgspec.structs.replace(TARGET, driver=driver, gpus=few)
    vaguer = msgspec.structs.replace(made, **dict.fromkeys(of_build, UNKNOWN))
    dimmer = msgspec.structs.replace(target, **dict.fromkeys(of_target, UNKNOWN))
    full = serves_every_gpu(made, target, hardware)
    less = serves_every_gpu(vaguer, dimmer, hardware)
    assert not (less.ok and not full.ok)


@given(builds, gpus, st.randoms())
def test_order_of_gpus_changes_no_answer(
    hardware: Hardware, made: Build, few: tuple[Gpu, ...], random: object
) -> None:
    shuffled = list(few)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one, other = (msgspec.structs.replace(TARGET, gpus=tuple(items)) for items in (few, shuffled))
    assert serves_every_gpu(made, one, hardware).answer == serves_every_gpu(made, other, hardware).answer


@pytest.mark.parametrize(
    ("name", "capability"),
    [
        ("NVIDIA GeForce RTX 4090", "8.9"),
        ("RTX 4090", "8.9"),
        ("gtx 1080 ti", "6.1"),
        ("Tesla V100-SXM2-16GB", "7.0"),
        ("NVIDIA A100-SXM4-80GB", "8.0"),
        ("NVIDIA A100 80GB PCIe", "8.0"),
        ("Tesla T4", "7.5"),
    ],
)
def test_capability_by_product_name(name: str, capability: str, hardware: Hardware) -> None:
    assert capability_by_name(name, hardware) == ComputeCapability(capability)


@pytest.mark.parametrize("name", ["RTX 4090 Super Plus", "", "NVIDIA", "1080", "Graphics card"])
def test_name_without_a_row_tells_nothing(name: str, hardware: Hardware) -> None:
    assert capability_by_name(name, hardware) is UNKNOWN


def test_what_the_gpu_says_counts_more_than_its_name(hardware: Hardware) -> None:
    gpu = Gpu(vendor="nvidia", name="GeForce RTX 4090", compute_capability=ComputeCapability("9.0"))
    assert capability_of(gpu, hardware) == ComputeCapability("9.0")
    assert title_of(gpu, hardware) == "GeForce RTX 4090 (sm_90)"
    assert capability_of(Gpu(vendor="nvidia", arch="sm_75"), hardware) == ComputeCapability("7.5")
    assert capability_of(Gpu(vendor="amd", arch="gfx1100"), hardware) is UNKNOWN
    assert title_of(Gpu(vendor="intel"), hardware) == "the Intel GPU"


def with_list(hardware: Hardware, version: str, capabilities: str) -> Hardware:
    """The hardware with all that one toolkit can make code for."""
    return msgspec.structs.replace(
        hardware,
        toolkits=tuple(
            msgspec.structs.replace(row, capabilities=arches(capabilities), code_source="lists")
            if str(row.version) == version
            else row
            for row in hardware.toolkits
        ),
    )


@pytest.mark.parametrize(
    ("kernels", "ptx", "answer"),
    [
        (UNKNOWN, (), "no"),
        (UNKNOWN, UNKNOWN, "unknown"),
        (UNKNOWN, arches("8.0"), "yes"),
        (arches("9.0"), (), "no"),
    ],
)
def test_a_toolkit_older_than_a_gpu_leaves_its_ptx_alone(
    hardware: Hardware, kernels: object, ptx: object, answer: str
) -> None:
    listed = with_list(hardware, "12.6", "5.0 7.5 8.0 8.9 9.0")
    old = build(variant="cu126", cuda=CudaVersion("12.6"), kernels=kernels, ptx=ptx)
    assert kernels_run_on(old, nvidia("12.0"), TARGET, listed).answer == answer


def test_a_list_of_a_toolkit_promises_nothing(hardware: Hardware) -> None:
    """That a toolkit can make code for a GPU does not mean that a build holds it."""
    listed = with_list(hardware, "12.8", "7.5 8.0 9.0 12.0")
    for ptx in (UNKNOWN, ()):
        found = kernels_run_on(build(kernels=UNKNOWN, ptx=ptx), nvidia("12.0"), TARGET, listed)
        assert found.answer == "unknown"
