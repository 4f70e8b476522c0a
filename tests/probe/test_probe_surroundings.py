"""Variables, system packages, tools and Docker, out of a machine made in a folder."""

from __future__ import annotations

import http.server
import json
import socketserver
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from dlsetup.model.machine import SystemPackage, Variable
from dlsetup.model.record import UNKNOWN
from dlsetup.probe.docker import docker
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes
from dlsetup.probe.packages import packages
from dlsetup.probe.tools import tools
from dlsetup.probe.variables import variables


def program(root: Path, path: str, text: str = "exit 0") -> None:
    file = root / path.lstrip("/")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)


def write(root: Path, path: str, text: str) -> None:
    file = root / path.lstrip("/")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_only_watched_variables_are_kept_and_an_empty_one_is_set(tmp_path: Path) -> None:
    environ = {"CUDA_VISIBLE_DEVICES": "", "LD_LIBRARY_PATH": "/a:/b\x1b[31m", "AWS_SECRET": "x"}
    assert variables(Host(tmp_path, environ)) == (
        Variable(name="CUDA_VISIBLE_DEVICES", value=""),
        Variable(name="LD_LIBRARY_PATH", value="/a:/b [31m"),
    )


STATUS = """\
Package: bash
Status: install ok installed
Version: 5.2

Package: libnvidia-compute-550
Status: install ok installed
Architecture: amd64
Version: 550.144.03-0ubuntu0.22.04.1
Description: NVIDIA libcompute package
 Package: not-a-field

Package: nvidia-dkms-535
Status: deinstall ok config-files
Version: 535.183.01-0ubuntu1

Package: libcudnn8
Status: purge ok not-installed
"""


def test_dpkg_tells_installed_and_half_removed_packages(tmp_path: Path) -> None:
    write(tmp_path, "/var/lib/dpkg/status", STATUS)
    assert packages(Host(tmp_path), Notes()) == (
        SystemPackage(name="libnvidia-compute-550", version="550.144.03-0ubuntu0.22.04.1"),
        SystemPackage(name="nvidia-dkms-535", version="535.183.01-0ubuntu1", state="config-files"),
    )


def test_rpm_is_asked_where_there_is_no_dpkg(tmp_path: Path) -> None:
    program(tmp_path, "/usr/bin/rpm", r"printf 'kmod-nvidia\t550.90-1.el9\nbash\t5.1-1\n'")
    found = packages(Host(tmp_path, {"PATH": "/usr/bin"}), Notes())
    assert found == (SystemPackage(name="kmod-nvidia", version="550.90-1.el9"),)


def test_pacman_keeps_a_folder_a_package(tmp_path: Path) -> None:
    for name in ("nvidia-utils-570.133.07-1", "bash-5.2-1", "cuda-12.8.1-2"):
        write(tmp_path, f"/var/lib/pacman/local/{name}/desc", "")
    assert packages(Host(tmp_path), Notes()) == (
        SystemPackage(name="cuda", version="12.8.1-2"),
        SystemPackage(name="nvidia-utils", version="570.133.07-1"),
    )


def test_no_list_of_packages_is_unknown_not_empty(tmp_path: Path) -> None:
    notes = Notes()
    assert packages(Host(tmp_path), notes) is UNKNOWN
    assert [gap.fact for gap in notes.gaps] == ["packages"]


def test_tools_with_the_versions_that_decide(tmp_path: Path) -> None:
    program(tmp_path, "/usr/bin/gcc", "echo 12.2.0")
    nvcc = "echo 'Cuda compilation tools, release 12.4, V12.4.131'"
    program(tmp_path, "/usr/local/cuda/bin/nvcc", nvcc)
    program(tmp_path, "/opt/conda/bin/conda", "exit 9")
    environ = {"PATH": "/usr/local/cuda/bin:/usr/bin", "CONDA_EXE": "/opt/conda/bin/conda"}
    found = {tool.name: (tool.path, tool.version) for tool in tools(Host(tmp_path, environ), Notes())}
    assert found == {
        "conda": ("/opt/conda/bin/conda", UNKNOWN),
        "nvcc": ("/usr/local/cuda/bin/nvcc", "12.4"),
        "gcc": ("/usr/bin/gcc", "12.2.0"),
    }


def test_a_compiler_that_fails_costs_one_gap(tmp_path: Path) -> None:
    program(tmp_path, "/usr/bin/gcc", "exit 1")
    notes = Notes()
    (gcc,) = tools(Host(tmp_path, {"PATH": "/usr/bin"}), notes)
    assert gcc.version is UNKNOWN
    assert [gap.fact for gap in notes.gaps] == ["tools.gcc.version"]


class Engine(http.server.BaseHTTPRequestHandler):
    """As much of a Docker engine as `docker info` needs."""

    told: ClassVar[dict[str, object]] = {}

    def do_GET(self) -> None:
        version = {"ApiVersion": "1.41", "Version": "27.0.1"}
        body = json.dumps(version if self.path.endswith("/version") else self.told).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        return "socket"

    def log_message(self, form: str, *words: object) -> None:
        pass


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Path]:
    """A machine whose Docker engine answers on its socket."""
    path = tmp_path / "var/run/docker.sock"
    path.parent.mkdir(parents=True)
    with socketserver.ThreadingUnixStreamServer(str(path), Engine) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield tmp_path
        server.shutdown()


def test_an_engine_with_the_nvidia_runtime(engine: Path) -> None:
    Engine.told = {"ServerVersion": "27.0.1", "Runtimes": {"runc": {}, "nvidia": {}}, "OperatingSystem": "U"}
    program(engine, "/usr/bin/docker")
    program(engine, "/usr/bin/nvidia-ctk")
    found = docker(Host(engine, {"PATH": "/usr/bin"}), Notes())
    assert found is not None
    assert (found.engine, found.runtimes) == ("27.0.1", ("nvidia", "runc"))
    assert found.nvidia_toolkit == "/usr/bin/nvidia-ctk"
    assert (found.snap, found.desktop) == (False, False)


def test_docker_from_a_snap(engine: Path) -> None:
    Engine.told = {"ServerVersion": "24.0", "DockerRootDir": "/var/snap/docker/common/var-lib-docker"}
    program(engine, "/snap/bin/docker")
    found = docker(Host(engine, {"PATH": "/snap/bin"}), Notes())
    assert found is not None
    assert found.snap is True
    assert found.nvidia_toolkit is None


def test_cdi_devices_of_a_new_engine(engine: Path) -> None:
    Engine.told = {"ServerVersion": "28.3", "DiscoveredDevices": [{"ID": "nvidia.com/gpu=all"}]}
    found = docker(Host(engine), Notes())
    assert found is not None
    assert found.cdi_devices == ("nvidia.com/gpu=all",)


def test_cdi_kinds_of_an_old_engine_come_from_the_files(engine: Path) -> None:
    Engine.told = {"ServerVersion": "24.0"}
    write(engine, "/etc/cdi/nvidia.yaml", 'cdiVersion: 0.6.0\nkind: "nvidia.com/gpu"\n')
    found = docker(Host(engine), Notes())
    assert found is not None
    assert found.cdi_devices == ("nvidia.com/gpu",)


def test_a_client_without_an_engine(tmp_path: Path) -> None:
    program(tmp_path, "/usr/bin/docker")
    notes = Notes()
    found = docker(Host(tmp_path, {"PATH": "/usr/bin"}), notes)
    assert found is not None
    assert found.engine is None
    assert notes.gaps == []


def test_an_engine_that_does_not_answer_is_unknown(tmp_path: Path) -> None:
    notes = Notes()
    found = docker(Host(tmp_path, {"DOCKER_HOST": "tcp://127.0.0.1:9"}), notes)
    assert found is not None
    assert found.engine is UNKNOWN
    assert [gap.fact for gap in notes.gaps] == ["docker.engine"]


def test_no_docker_at_all(tmp_path: Path) -> None:
    assert docker(Host(tmp_path), Notes()) is None
