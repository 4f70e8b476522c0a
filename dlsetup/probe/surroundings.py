"""What a program gets of this machine: processors, memory, and how GPUs are joined."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from dlsetup.model.links import Link, links_in
from dlsetup.model.machine import Gpu, Machine
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.tuning import CpuRoom, Surroundings
from dlsetup.model.use import MemoryUse
from dlsetup.probe.control_groups import ROOT, newer_group, older_group, upward
from dlsetup.probe.host import Host
from dlsetup.probe.memory_use import memory_use

SECONDS = 10.0
_IOMMU = re.compile(r"(?:^|\s)((?:intel_iommu|amd_iommu|iommu)=(?:on|force|pt))(?=\s|$)")


def surroundings(host: Host, machine: Machine) -> Surroundings:
    """Facts that settings of a training depend on. Asks `nvidia-smi` where there are several GPUs."""
    gpus = machine.gpus
    nvidia = () if isinstance(gpus, Unknown) else tuple(item for item in gpus if item.vendor == "nvidia")
    return Surroundings(
        cpu=cpu_room(host),
        memory_bytes=_memory(memory_use(host), machine.system.memory_bytes),
        shm_bytes=machine.system.shm_bytes,
        container=machine.system.container,
        gpus=UNKNOWN if isinstance(gpus, Unknown) else len(gpus),
        links=_links(host) if len(nvidia) > 1 else (),
        gpu_nodes=tuple(_node(host, gpu) for gpu in nvidia),
        iommu=_iommu(host),
    )


def cpu_room(host: Host) -> CpuRoom:
    """Affinity, the quota of the control group, NUMA nodes."""
    linux = host.platform.startswith("linux")
    nodes = host.glob("/sys/devices/system/node/node[0-9]*/cpulist")
    lists = tuple(text for path in nodes if (text := (host.read(path) or "").strip()))
    return CpuRoom(
        usable=_usable(host),
        quota=_quota(host) if linux else None,
        nodes=lists if lists or not linux else UNKNOWN,
    )


def _usable(host: Host) -> int | Unknown:
    if not host.root and hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    if host.root:
        return UNKNOWN
    return os.cpu_count() or UNKNOWN


def _quota(host: Host) -> float | None:
    """The least of all groups around us; None: none bounds it."""
    newer, older = newer_group(host) or "/", older_group(host, "cpu") or "/"
    return min((*_newer(host, newer), *_older(host, older)), default=None)


def _newer(host: Host, group: str) -> Iterator[float]:
    """`200000 100000` of version 2: two processors; `max 100000`: no limit."""
    for folder in upward(ROOT, group):
        found = re.match(r"(\d{1,12}) (\d{1,12})$", (host.read(f"{folder}/cpu.max") or "").strip())
        if found and int(found[2]):
            yield int(found[1]) / int(found[2])


def _older(host: Host, group: str) -> Iterator[float]:
    """Version 1; a quota of -1 is no limit."""
    for base in (f"{ROOT}/cpu", f"{ROOT}/cpu,cpuacct"):
        for folder in upward(base, group):
            quota = (host.read(f"{folder}/cpu.cfs_quota_us") or "").strip()
            period = (host.read(f"{folder}/cpu.cfs_period_us") or "").strip()
            if quota.isdigit() and period.isdigit() and int(period):
                yield int(quota) / int(period)


def _memory(seen: MemoryUse, all_of_it: int | Unknown) -> int | Unknown:
    known = [
        value
        for value in (seen.free_bytes, seen.limit_bytes, all_of_it)
        if value is not None and not isinstance(value, Unknown)
    ]
    return min(known, default=UNKNOWN)


def _links(host: Host) -> tuple[Link, ...] | Unknown:
    program = host.which("nvidia-smi")
    if program is None:
        return UNKNOWN
    ended = host.run((program, "topo", "-m"), SECONDS)
    return (links_in(ended.out) or UNKNOWN) if ended.ok else UNKNOWN


def _node(host: Host, gpu: Gpu) -> int:
    """The NUMA node that a GPU hangs on; -1: none, or nobody says."""
    if isinstance(gpu.pci, Unknown):
        return -1
    # NVML writes eight digits of the domain, the kernel four.
    place = re.sub(r"^[0-9a-f]{4}(?=[0-9a-f]{4}:)", "", gpu.pci.lower())
    text = (host.read(f"/sys/bus/pci/devices/{place}/numa_node") or "").strip()
    return int(text) if text.isdigit() else -1


def _iommu(host: Host) -> str | None | Unknown:
    """The setting with which the kernel was started, if it concerns the IOMMU."""
    text = host.read("/proc/cmdline")
    if text is None:
        return UNKNOWN
    found = [item[1] for item in _IOMMU.finditer(text)]
    if any(item.endswith("=pt") for item in found):
        return None
    return found[0] if found else None
