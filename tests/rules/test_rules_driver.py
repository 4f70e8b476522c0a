"""A driver runs every minor of a CUDA major once it meets the floor of that major."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlsetup.model.hardware import Hardware
from dlsetup.model.machine import Gpu
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.target import Target
from dlsetup.model.versions import ComputeCapability, CudaVersion, DriverRelease
from dlsetup.rules.driver import ceiling_of, driver_drives, driver_floor, driver_serves

LINUX = Target(os="linux", wsl=False)
WINDOWS = Target(os="windows", wsl=False)
WSL = Target(os="linux", wsl=True)

releases = st.builds(
    lambda branch, minor: DriverRelease(f"{branch}.{minor}"), st.integers(380, 620), st.integers(0, 250)
)
cudas = st.sampled_from(["10.2", "11.0", "11.1", "11.8", "12.0", "12.6", "12.8", "13.0", "13.2"]).map(
    CudaVersion
)
platforms = st.sampled_from([LINUX, WINDOWS, WSL, Target(), Target(os="linux")])


def answer(target: Target, cuda: str, hardware: Hardware) -> str:
    return driver_serves(target, CudaVersion(cuda), hardware).answer


def on(target: Target, driver: str) -> Target:
    return msgspec.structs.replace(target, driver=DriverRelease(driver))


@pytest.mark.parametrize(
    ("target", "driver", "cuda", "expected"),
    [
        (LINUX, "535.129.03", "12.8", "yes"),
        (LINUX, "535.129.03", "13.0", "no"),
        (LINUX, "525.60.13", "12.6", "yes"),
        (LINUX, "525.60.11", "12.0", "no"),
        (LINUX, "450.80.02", "11.8", "yes"),
        (LINUX, "450.51.06", "11.0", "yes"),
        (LINUX, "450.51.06", "11.8", "no"),
        (LINUX, "440.33", "10.2", "yes"),
        (LINUX, "418.39", "10.2", "no"),
        (LINUX, "580.65.06", "13.2", "yes"),
        (LINUX, "595.58.03", "10.2", "yes"),
        (WINDOWS, "528.33", "12.8", "yes"),
        (WINDOWS, "527.41", "12.0", "yes"),
        (WINDOWS, "527.41", "12.8", "no"),
        (WSL, "526.47", "12.8", "no"),
        (WSL, "537.13", "12.8", "yes"),
        (LINUX, "535.129.03", "14.0", "unknown"),
        (LINUX, "535.129.03", "9.1", "unknown"),
    ],
)
def test_floor_of_the_family_decides(
    target: Target, driver: str, cuda: str, expected: str, hardware: Hardware
) -> None:
    assert answer(on(target, driver), cuda, hardware) == expected


def test_no_driver_serves_nothing_and_an_unknown_one_is_unknown(hardware: Hardware) -> None:
    assert answer(msgspec.structs.replace(LINUX, driver=None), "12.6", hardware) == "no"
    assert answer(LINUX, "12.6", hardware) == "unknown"
    assert answer(Target(os="macos"), "12.6", hardware) == "no"


def test_unknown_system_answers_where_both_columns_agree(hardware: Hardware) -> None:
    assert answer(on(Target(), "535.129.03"), "12.6", hardware) == "yes"
    assert answer(on(Target(), "525.85.12"), "12.6", hardware) == "unknown"
    assert answer(on(Target(), "470.10"), "12.6", hardware) == "no"


def test_ceiling_stands_in_for_an_unknown_release(hardware: Hardware) -> None:
    target = msgspec.structs.replace(LINUX, cuda_ceiling=CudaVersion("12.2"))
    assert answer(target, "12.8", hardware) == "yes"
    assert answer(target, "12.0", hardware) == "yes"
    assert answer(target, "13.0", hardware) == "no"


@pytest.mark.parametrize("ceiling", ["0", "9.0", "11.9", "12.99"])
def test_a_ceiling_without_a_row_still_tells_the_major(ceiling: str, hardware: Hardware) -> None:
    assert answer(msgspec.structs.replace(LINUX, cuda_ceiling=CudaVersion(ceiling)), "13.0", hardware) == "no"


def test_ceiling_of_a_newer_user_space_counts_more_than_the_module(hardware: Hardware) -> None:
    target = msgspec.structs.replace(on(LINUX, "470.82.01"), cuda_ceiling=CudaVersion("12.4"))
    assert answer(target, "12.4", hardware) == "yes"
    assert answer(target, "12.8", hardware) == "no"


@given(releases, releases, cudas, platforms)
def test_newer_driver_never_turns_yes_into_no(
    hardware: Hardware, one: DriverRelease, other: DriverRelease, cuda: CudaVersion, target: Target
) -> None:
    older, newer = sorted((one, other))
    before = driver_serves(msgspec.structs.replace(target, driver=older), cuda, hardware)
    after = driver_serves(msgspec.structs.replace(target, driver=newer), cuda, hardware)
    assert not (before.ok and not after.ok)


@given(releases, cudas, platforms, st.sets(st.sampled_from(["os", "wsl", "driver", "cuda_ceiling"])))
def test_unknown_never_becomes_yes_by_removing_facts(
    hardware: Hardware, driver: DriverRelease, cuda: CudaVersion, target: Target, removed: set[str]
) -> None:
    full = msgspec.structs.replace(target, driver=driver)
    less = msgspec.structs.replace(full, **dict.fromkeys(removed, UNKNOWN))
    assert not (driver_serves(less, cuda, hardware).ok and not driver_serves(full, cuda, hardware).ok)


@given(releases, cudas, platforms, st.randoms())
def test_order_of_rows_changes_nothing(
    hardware: Hardware, driver: DriverRelease, cuda: CudaVersion, target: Target, random: object
) -> None:
    shuffled = {}
    for name in ("toolkits", "floors", "branches"):
        rows = list(getattr(hardware, name))
        random.shuffle(rows)  # type: ignore[attr-defined]
        shuffled[name] = tuple(rows)
    full = msgspec.structs.replace(target, driver=driver)
    other = msgspec.structs.replace(hardware, **shuffled)
    assert driver_serves(full, cuda, hardware) == driver_serves(full, cuda, other)


def test_refusal_names_the_floor_and_its_source(hardware: Hardware) -> None:
    verdict = driver_serves(on(LINUX, "535.129.03"), CudaVersion("13.0"), hardware)
    assert verdict.because == "CUDA 13 needs NVIDIA driver 580 or newer on Linux"
    assert verdict.sources == ("release-notes",)
    assert driver_floor(CudaVersion("13.0"), hardware, windows=False) == (
        DriverRelease("580"),
        "release-notes",
    )
    assert driver_floor(CudaVersion("14.0"), hardware, windows=False) is None


def test_ceiling_by_branch(hardware: Hardware) -> None:
    assert ceiling_of(on(LINUX, "535.129.03"), hardware) == CudaVersion("12.2")
    assert isinstance(ceiling_of(on(LINUX, "536.23"), hardware), Unknown)
    assert isinstance(ceiling_of(LINUX, hardware), Unknown)


@pytest.mark.parametrize(
    ("driver", "capability", "expected"),
    [
        ("580.65.06", "6.1", "yes"),
        ("590.48.01", "6.1", "no"),
        ("610.43.02", "6.1", "no"),
        ("610.43.02", "8.9", "unknown"),
        ("595.58.03", "8.9", "yes"),
        ("470.82.01", "3.7", "yes"),
        ("520.61.05", "3.7", "no"),
    ],
)
def test_branch_ends_the_support_of_old_gpus(
    driver: str, capability: str, expected: str, hardware: Hardware
) -> None:
    gpu = Gpu(vendor="nvidia", compute_capability=ComputeCapability(capability))
    assert driver_drives(on(LINUX, driver), gpu, hardware).answer == expected
