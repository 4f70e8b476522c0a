"""A machine in words, as notes take it."""

from __future__ import annotations

import pytest

from dlsetup.intake.noted import machine_in_words
from dlsetup.model.errors import UsageError
from dlsetup.model.machine import Driver
from dlsetup.model.record import UNKNOWN
from dlsetup.model.versions import DriverRelease, OsRelease


def test_the_words_of_a_distribution() -> None:
    words = (
        'distro="Ubuntu 24.04.2 LTS", arch=x86_64, gpu="2x RTX 4090", driver=580.95.05, '
        "memory=64GB, secureboot=on"
    )
    machine = machine_in_words(words)
    assert machine.system.os == "linux"
    assert machine.system.name == "Ubuntu 24.04.2 LTS"
    assert machine.system.release == OsRelease("24.04.2")
    assert machine.system.memory_bytes == 64 << 30
    assert machine.system.wsl is None
    assert machine.gpus is not UNKNOWN
    assert [gpu.found_via for gpu in machine.gpus] == ["--target"] * 2
    assert isinstance(machine.driver, Driver)
    assert machine.driver.module == machine.driver.userland == DriverRelease("580.95.05")
    assert [(item.fact, item.value) for item in machine.sightings] == [("secure boot", "enabled")]


def test_what_is_not_said_is_unknown() -> None:
    machine = machine_in_words("arch=x86_64")
    assert machine.system.os is UNKNOWN
    assert machine.system.wsl is UNKNOWN
    assert machine.driver is UNKNOWN
    assert machine.gpus is UNKNOWN
    assert machine.packages is UNKNOWN
    assert machine.docker is UNKNOWN


def test_no_driver_and_no_gpu_are_known() -> None:
    machine = machine_in_words("distro=Debian,driver=none,gpu=none")
    assert machine.driver is None
    assert machine.gpus == ()


def test_a_board_is_told_by_its_release_alone() -> None:
    machine = machine_in_words("l4t=36.4.3")
    assert machine.system.arch == "aarch64"
    assert machine.system.kernel is UNKNOWN
    assert machine.report.observations[0].value == "36.4.3"
    assert not machine.partial


def test_windows_and_wsl() -> None:
    assert machine_in_words("os=windows,memory=16GB").system.os == "windows"
    inside = machine_in_words("distro=Ubuntu,wsl=yes,driver=560.94")
    assert inside.system.wsl is not None
    assert isinstance(inside.driver, Driver)
    assert inside.driver.module is UNKNOWN


@pytest.mark.parametrize(
    "words",
    [
        "memory=plenty",
        "secureboot=maybe",
        "l4t=six",
        "distro=",
        "distro=a,distro=b",
        "os=windows,distro=Ubuntu",
        "os=macos,l4t=36.4",
        "nonsense=1",
        'distro="a\x07b"',
        "memory=",
        f"kernel={'a' * 200}",
    ],
)
def test_what_cannot_be_read_is_refused(words: str) -> None:
    with pytest.raises(UsageError) as refused:
        machine_in_words(words)
    assert refused.value.hint
