"""How the driver is installed on each system, as its own documentation says."""

from __future__ import annotations

from typing import Any

import pytest
from judge_machines import machine, nvidia, package, system
from msgspec.structs import replace

from dlsetup.judge.checks.fabric import install_manager
from dlsetup.judge.driver_ways import way_of
from dlsetup.judge.linux_families import family_of, finish_upgrade, install_packages
from dlsetup.judge.module_loading import enrol, first_file_system, headers
from dlsetup.judge.scene import Scene
from dlsetup.model.framework import Catalog
from dlsetup.model.machine import Machine, System
from dlsetup.model.record import UNKNOWN
from dlsetup.model.report import Observation, Report
from dlsetup.model.versions import DriverRelease, OsRelease


def on(name: str = "", release: str = "", kernel: str = "", **more: Any) -> Machine:
    """A Linux of that name; empty: unknown."""
    known = {"name": name, "kernel": kernel, "release": OsRelease(release) if release else ""}
    parts = {key: value or UNKNOWN for key, value in known.items()}
    return machine(system=replace(system(), **{**parts, "arch": "x86_64", **more}))


@pytest.mark.parametrize(
    ("name", "release", "kernel", "first"),
    [
        ("Ubuntu 22.04.4 LTS", "22.04", "", "sudo ubuntu-drivers install"),
        ("Ubuntu 18.04.6 LTS", "18.04", "", "sudo ubuntu-drivers autoinstall"),
        ("Debian GNU/Linux 12 (bookworm)", "12", "", "sudo apt update"),
        ("Fedora Linux 44", "44", "", "sudo dnf install akmod-nvidia xorg-x11-drv-nvidia-cuda"),
        ("Red Hat Enterprise Linux 9.4 (Plow)", "9.4", "", "sudo dnf module enable nvidia-driver:open-dkms"),
        ("Rocky Linux 8.10 (Green Obsidian)", "8.10", "", "sudo dnf module enable nvidia-driver:open-dkms"),
        ("AlmaLinux 10.0", "10.0", "", "sudo dnf install nvidia-open"),
        ("Amazon Linux 2023", "2023", "", "sudo dnf module enable nvidia-driver:open-dkms"),
        ("openSUSE Leap 15.6", "15.6", "", "sudo zypper install nvidia-open"),
        ("Arch Linux", "", "6.12.1-arch1-1", "sudo pacman -Syu nvidia-open nvidia-utils"),
        ("CachyOS", "", "6.12.1-2-cachyos", "sudo pacman -Syu nvidia-open-dkms nvidia-utils"),
        ("CentOS Linux 7 (Core)", "7", "", ""),
        ("Amazon Linux 2", "2", "", ""),
        ("", "", "", ""),
    ],
)
def test_each_system_has_its_own_way(
    name: str, release: str, kernel: str, first: str, catalog: Catalog
) -> None:
    scene = Scene.of(on(name, release, kernel), catalog)
    assert (way_of(scene).commands[:1] or ("",))[0] == first
    assert way_of(scene).commands == () or way_of(scene).commands[-1] == "sudo reboot"


@pytest.mark.parametrize(
    ("name", "release", "command"),
    [
        ("Rocky Linux 9.4", "9.4", "sudo dnf module enable nvidia-driver:580-dkms"),
        ("Debian GNU/Linux 12", "12", "sudo apt install nvidia-driver-pinning-580"),
    ],
)
def test_before_turing_there_are_no_open_modules(
    name: str, release: str, command: str, catalog: Catalog
) -> None:
    old = replace(on(name, release), gpus=(nvidia("Tesla V100-SXM2-16GB", "7.0"),))
    commands = way_of(Scene.of(old, catalog)).commands
    assert command in commands
    assert not any("nvidia-open" in item for item in commands)


@pytest.mark.parametrize("name", ["Fedora Linux 43", "Arch Linux", "openSUSE Leap 15.6", "Rocky Linux 10.1"])
def test_nobody_installs_open_modules_for_a_pascal(name: str, catalog: Catalog) -> None:
    old = replace(on(name), gpus=(nvidia("NVIDIA GeForce GTX 1080", "6.1"),))
    assert way_of(Scene.of(old, catalog)).commands == ()
    assert "580" in way_of(Scene.of(old, catalog)).where


def test_a_jetson_gets_its_driver_with_jetpack(catalog: Catalog) -> None:
    jetson = on("Ubuntu 22.04", "22.04", "5.15.148-tegra", arch="aarch64")
    way = way_of(Scene.of(jetson, catalog))
    assert "JetPack" in way.where
    assert way.commands == ()


def test_windows_has_no_shell_command(catalog: Catalog) -> None:
    windows = replace(on(), system=System(os="windows", arch="x86_64"))
    assert "restart Windows" in way_of(Scene.of(windows, catalog)).where


def test_fedora_stays_with_the_repository_that_is_in_use(catalog: Catalog) -> None:
    own = replace(on("Fedora Linux 44"), packages=(package("nvidia-driver-cuda", "570.86.15-1.fc44"),))
    assert way_of(Scene.of(own, catalog)).commands[0] == "sudo dnf install nvidia-open"


@pytest.mark.parametrize(
    ("version", "kernel", "maker", "family"),
    [
        ("535.171.04-0ubuntu0.22.04.1", "", "", "ubuntu"),
        ("535.183.01-1~deb12u1", "", "", "debian"),
        ("560.35.03-1.fc40", "", "", "fedora"),
        ("550.90.07-1.el9", "", "", "rhel"),
        ("", "6.8.0-45-generic", "", "ubuntu"),
        ("", "5.14.0-427.13.1.el9_4.x86_64", "", "rhel"),
        ("", "6.1.79-99.164.amzn2023.x86_64", "", "amazon"),
        ("", "6.12.9-arch1-1", "", "arch"),
        ("", "6.4.0-150600.23.25-default", "", "suse"),
        ("", "6.1.0-21-amd64", "", "debian"),
        ("", "5.15.167.4-microsoft-standard-WSL2", "", None),
        ("", "", "SUSE Linux", "suse"),
        ("", "", "Ubuntu 13.2.0-23ubuntu4", "ubuntu"),
    ],
)
def test_a_family_is_known_by_what_only_it_makes(
    version: str, kernel: str, maker: str, family: str | None, catalog: Catalog
) -> None:
    seen = (Observation(subject="gcc.maker", value=maker, source="r.txt:1"),) if maker else ()
    told = replace(
        on(kernel=kernel),
        packages=(package("nvidia-utils", version),) if version else UNKNOWN,
        report=Report(observations=seen, lines=1),
    )
    assert family_of(Scene.of(told, catalog)) == family


def test_a_container_does_not_run_the_kernel_of_its_own_system(catalog: Catalog) -> None:
    inside = on(kernel="5.14.0-427.13.1.el9_4.x86_64", container="docker")
    assert family_of(Scene.of(inside, catalog)) is None


def test_root_of_an_image_needs_no_sudo(catalog: Catalog) -> None:
    inside = Scene.of(on("Ubuntu 22.04", "22.04", container="docker"), catalog)
    assert install_packages(inside, {"ubuntu": ("gcc-12",)}) == ("apt install gcc-12",)
    outside = Scene.of(on("CentOS Linux 7", "7"), catalog)
    assert install_packages(outside, {"rhel": ("gcc",)}) == ("sudo yum install gcc",)


@pytest.mark.parametrize("name", ["Gentoo 2.17", "NixOS 24.05", "Void Linux", "Alpine Linux 3.20"])
def test_a_system_that_is_named_and_not_known_is_not_taken_for_ubuntu(name: str, catalog: Catalog) -> None:
    scene = Scene.of(on(name, "", "6.6.1"), catalog)
    assert headers(scene) == first_file_system(scene) == finish_upgrade(scene) == ()
    assert enrol(scene) == ("sudo mokutil --import /var/lib/dkms/mok.pub",)
    (remedy,) = install_manager(scene, DriverRelease("580.65.06"))
    assert remedy.commands == ()
    assert "where the driver came from" in remedy.text


def test_a_system_that_nobody_names_is_taken_for_the_usual_one(catalog: Catalog) -> None:
    for name in ("", "Linux", "Linux 6.6.1"):
        scene = Scene.of(on(name, "", "6.6.1"), catalog)
        assert headers(scene) == ("sudo apt install linux-headers-6.6.1",)
        assert "sudo apt full-upgrade" in finish_upgrade(scene)
