"""Whole machines looked at, saved, read again and found the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from probe_roots import Builder, Root

from dlsetup.intake.saved import read
from dlsetup.model.codec import encode
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Clue
from dlsetup.model.machine import Machine
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.redaction import redact
from dlsetup.model.target import Target
from dlsetup.model.versions import CudaVersion, DriverRelease
from dlsetup.probe.host import Host
from dlsetup.probe.look import look

HEALTHY = """\
driver 535.129.03
cuda 12020
gpu NVIDIA GeForce RTX 4090|8|9|25757220864|00000000:01:00.0|-1|0
"""
CLUES = (Clue(distribution="torch", path="torch/version.py", pattern=r"cuda = '([\d.]+)'", gives="cuda"),)


def with_torch(root: Root, version: str = "2.7.1") -> str:
    """An environment of the project with torch for CUDA 12.6; gives its folder."""
    folder = "/home/ada/project/.venv"
    site = root.venv(folder)
    root.wheel(site, "torch", version, requires="nvidia-cudnn-cu12==9.5.1.17\nnumpy")
    root.write(f"{site}/torch/version.py", f"__version__ = '{version}'\ncuda = '12.6'\n")
    root.wheel(site, "nvidia-cudnn-cu12", "9.5.1.17")
    root.write(f"{site}/nvidia/cudnn/lib/libcudnn.so.9")
    root.wheel(site, "numpy", "2.1.2")
    return folder


def known(machine: Machine) -> None:
    """Nothing on the machine was left unlooked at."""
    parts = ("driver", "gpus", "toolkits", "libraries", "environments", "tools", "docker", "variables")
    assert [part for part in parts if getattr(machine, part) is UNKNOWN] == []
    assert machine.gaps == ()


def test_a_gpu_server(gpu_server: Builder, tmp_path: Path) -> None:
    root = gpu_server(HEALTHY)
    root.pci("0000:01:00.0", "10de", "2684", driver="nvidia")
    folder = with_torch(root)
    machine = look(root.host(), clues=CLUES)
    known(machine)
    target = Target.of(machine)
    assert (target.driver, target.cuda_ceiling) == (DriverRelease("535.129.03"), CudaVersion("12.2"))
    environment = machine.environment
    assert environment is not None
    assert (environment.path, str(environment.python)) == (folder, "3.12.3")
    torch = environment.distribution("torch")
    assert torch is not None
    assert (torch.variant, torch.variant_via) == ("cu126", "torch/version.py")
    assert not isinstance(machine.libraries, Unknown)
    assert [(item.library, item.owner.name) for item in machine.libraries] == [("cudnn", "nvidia-cudnn-cu12")]

    clean = redact(machine, home="/home/ada", user="ada", hostname="engine")
    file = tmp_path / "machine.json"
    file.write_bytes(encode(clean, indent=1))
    assert "ada" not in file.read_text()
    again = read(file)
    assert again == clean
    assert Target.of(again) == target
    assert (again.driver, again.gpus, again.sightings) == (machine.driver, machine.gpus, machine.sightings)


def test_a_look_is_the_same_twice(gpu_server: Builder) -> None:
    root = gpu_server(HEALTHY)
    with_torch(root)
    first, second = (look(root.host(), clues=CLUES) for _ in range(2))
    assert replace(first, system=second.system) == second, "only the free disk may change"


def test_no_gpu_is_known_to_be_none(root: Root) -> None:
    root.linux()
    root.venv("/home/ada/project/.venv")
    machine = look(root.host())
    known(machine)
    assert (machine.driver, machine.gpus, machine.libraries) == (None, (), ())
    assert machine.sightings == ()


def test_a_container_without_a_gpu(root: Root) -> None:
    root.linux()
    root.write("/.dockerenv")
    root.driver_module("550.54.15")
    root.pci("0000:19:00.0", "10de", "2330", kind="0x030200", driver="nvidia")
    root.venv("/home/ada/project/.venv")
    machine = look(root.host())
    assert machine.system.container == "docker"
    assert machine.driver is not None
    assert not isinstance(machine.driver, Unknown)
    assert machine.driver.userland is None


def test_wsl_with_a_linux_driver_inside(root: Root, nvml: Path) -> None:
    root.linux(kernel="5.15.167.4-microsoft-standard-WSL2")
    root.write("/dev/dxg")
    root.driver_libraries("535.183.01", nvml)
    root.scenario("fail nvmlInitWithFlags 9\n")
    package = (
        "Package: nvidia-driver-535\nStatus: install ok installed\nVersion: 535.183.01-0ubuntu0.22.04.1\n\n"
    )
    root.write("/var/lib/dpkg/status", package)
    machine = look(root.host())
    assert not isinstance(machine.driver, Unknown)
    assert machine.driver is not None
    assert (machine.driver.nvml_error, machine.driver.module) == ("DRIVER_NOT_LOADED", UNKNOWN)
    assert machine.gpus is UNKNOWN
    assert not isinstance(machine.packages, Unknown)
    assert [item.name for item in machine.packages] == ["nvidia-driver-535"]
    assert [gap.fact for gap in machine.gaps if gap.fact == "gpus"] == ["gpus"]


def test_another_environment_by_its_path_and_its_name(gpu_server: Builder) -> None:
    root = gpu_server(HEALTHY)
    folder = with_torch(root)
    root.venv("/opt/other")
    machine = look(root.host(), environment="/opt/other")
    assert machine.environment is not None
    assert machine.environment.path == "/opt/other"
    assert not isinstance(machine.environments, Unknown)
    assert folder in [item.path for item in machine.environments]


def test_an_environment_that_is_not_there_is_the_users_business(root: Root) -> None:
    root.linux()
    root.venv("/home/ada/project/.venv")
    with pytest.raises(UsageError) as caught:
        look(root.host(), environment="vision")
    assert "vision" in caught.value.message
    assert "/home/ada/project/.venv" in caught.value.hint


class WithoutPrograms(Host):
    """A machine where asking for any program fails in a way that nobody foresaw."""

    def which(self, name: str) -> str | None:
        raise RuntimeError("unforeseen")


def test_probes_that_fail_cost_their_facts_only(root: Root) -> None:
    root.linux()
    root.environ["VIRTUAL_ENV"] = "/opt/env"
    root.venv("/opt/env")
    machine = look(WithoutPrograms(root.folder, root.environ, arch="x86_64", folder="/"))
    assert machine.system.name == "Ubuntu 24.04.2 LTS"
    assert machine.packages == ()
    assert (machine.tools, machine.driver, machine.docker) == (UNKNOWN,) * 3
    assert {"tools", "driver", "docker"} <= {gap.fact for gap in machine.gaps}


def test_this_machine_can_be_looked_at() -> None:
    machine = look(Host.here(os.environ))
    assert machine.system.os in ("linux", "macos", "windows")
    assert isinstance(machine.environments, tuple)
    assert encode(machine)


def test_looking_imports_nothing_heavy() -> None:
    code = (
        "import sys; from dlsetup.probe.host import Host; from dlsetup.probe.look import look;"
        "look(Host('/nowhere', {}));"
        "print([name for name in ('docker', 'psutil', 'pynvml', 'rich', 'requests') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
