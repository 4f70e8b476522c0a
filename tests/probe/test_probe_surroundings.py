"""Processors, memory and links that a program gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlsetup.model.links import Link, links_in
from dlsetup.model.machine import Gpu, Machine
from dlsetup.model.record import UNKNOWN
from dlsetup.probe.host import Host
from dlsetup.probe.surroundings import cpu_room, surroundings


def write(root: Path, files: dict[str, str]) -> Host:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Host(root, {"PATH": "/usr/bin"})


@pytest.mark.parametrize(
    ("files", "quota"),
    [
        ({"sys/fs/cgroup/cpu.max": "max 100000\n"}, None),
        ({"sys/fs/cgroup/cpu.max": "150000 100000\n"}, 1.5),
        (
            {
                "proc/self/cgroup": "0::/a/b\n",
                "sys/fs/cgroup/a/cpu.max": "200000 100000\n",
                "sys/fs/cgroup/a/b/cpu.max": "400000 100000\n",
            },
            2.0,
        ),
        (
            {
                "proc/self/cgroup": "4:cpu,cpuacct:/\n",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "300000\n",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            },
            3.0,
        ),
        (
            {
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            },
            None,
        ),
        ({"sys/fs/cgroup/cpu.max": "nonsense"}, None),
        ({}, None),
    ],
)
def test_the_least_quota_of_all_groups_counts(
    tmp_path: Path, files: dict[str, str], quota: float | None
) -> None:
    assert cpu_room(write(tmp_path, files)).quota == quota


def test_nodes_are_read_and_of_a_foreign_root_the_affinity_is_unknown(tmp_path: Path) -> None:
    here = write(
        tmp_path,
        {
            "sys/devices/system/node/node0/cpulist": "0-7\n",
            "sys/devices/system/node/node1/cpulist": "8-15\n",
        },
    )
    room = cpu_room(here)
    assert room.nodes == ("0-7", "8-15")
    assert room.usable is UNKNOWN
    assert room.count is UNKNOWN


@pytest.mark.parametrize(
    ("line", "setting"),
    [
        ("root=/dev/sda1 intel_iommu=on quiet", "intel_iommu=on"),
        ("intel_iommu=on iommu=pt", None),
        ("quiet my_iommu=on", None),
        ("quiet", None),
    ],
)
def test_an_iommu_that_translates_is_seen(tmp_path: Path, line: str, setting: str | None) -> None:
    here = surroundings(write(tmp_path, {"proc/cmdline": line}), Machine())
    assert here.iommu == setting


def test_of_several_gpus_links_and_nodes_are_asked_for(tmp_path: Path) -> None:
    script = tmp_path / "usr/bin/nvidia-smi"
    node = "sys/bus/pci/devices/0000:3b:00.0/numa_node"
    here = write(tmp_path, {node: "1\n", "usr/bin/nvidia-smi": TOPO})
    script.chmod(0o755)
    gpus = (Gpu(vendor="nvidia", pci="00000000:3B:00.0"), Gpu(vendor="nvidia"))
    found = surroundings(here, Machine(gpus=gpus))
    assert found.links == (Link(first=0, second=1, kind="PIX"),)
    assert found.gpu_nodes == (1, -1)
    assert found.gpus == 2


def test_without_the_program_links_are_unknown(tmp_path: Path) -> None:
    gpus = (Gpu(vendor="nvidia"), Gpu(vendor="nvidia"))
    assert surroundings(write(tmp_path, {}), Machine(gpus=gpus)).links is UNKNOWN
    assert surroundings(write(tmp_path, {}), Machine()).gpus is UNKNOWN


TOPO = """#!/bin/sh
printf '\\tGPU0\\tGPU1\\tCPU Affinity\\nGPU0\\t X \\tPIX\\t0-7\\nGPU1\\tPIX\\t X \\t0-7\\n'
"""


def test_an_underlined_heading_does_no_harm() -> None:
    text = "\x1b[4mGPU0\tGPU1\x1b[0m\nGPU0\t X \tNV4\nGPU1\tNV4\t X \n\nLegend:\n"
    assert links_in(text) == (Link(first=0, second=1, kind="NV4"),)
