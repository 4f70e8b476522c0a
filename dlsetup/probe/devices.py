"""Every GPU and accelerator of the machine once, whoever tells of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from dlsetup.model.machine import Gpu
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.probe.accelerators import apple, ascend, intel, tpu
from dlsetup.probe.amd import amd
from dlsetup.probe.confinement import container, is_wsl
from dlsetup.probe.host import Host
from dlsetup.probe.jetson import jetson
from dlsetup.probe.notes import Notes, printable
from dlsetup.probe.nvidia import Nvidia
from dlsetup.probe.nvidia_files import SYS_MODULE, note_obstacles
from dlsetup.probe.pci import PciDevice, pci_devices, product_name

PROC_GPUS = "/proc/driver/nvidia/gpus"
ADAPTERS = "Get-CimInstance Win32_VideoController | Select-Object Name,PNPDeviceID | ConvertTo-Json -Compress"
POWERSHELL_DEADLINE = 8.0


def devices(host: Host, notes: Notes, known: Nvidia) -> tuple[Gpu, ...] | Unknown:
    """What `known` lists, then what nothing but the bus or the kernel tells.

    An empty tuple means that everything was looked at. Unknown: there is a driver, but nobody could
    list its GPUs, or there is no bus to look at.
    """
    listed = () if isinstance(known.gpus, Unknown) else known.gpus
    if host.platform == "darwin":
        return tuple(apple(host, notes))
    if host.platform == "win32":
        return listed or _windows(host, notes, known)
    bus = pci_devices(host)
    others = (
        *_unlisted(host, notes, known, bus or ()),
        *amd(host, bus or ()),
        *intel(host, notes, bus or ()),
        *ascend(host, bus or ()),
        *tpu(host, bus or ()),
    )
    if listed or others or known.answered or known.driver is None:
        return (*listed, *others)
    if bus is not None and not is_wsl(host):
        return ()
    notes.gap("gpus", "there is a driver, but nobody could list its GPUs", "nvidia-smi -L")
    return UNKNOWN


def _unlisted(host: Host, notes: Notes, known: Nvidia, bus: tuple[PciDevice, ...]) -> Iterator[Gpu]:
    """NVIDIA GPUs that NVML does not know: too old or too new for the driver, or without one.

    A container sees GPUs on the bus that were not given to it, and a GPU that was lent to a virtual
    machine (`vfio-pci`) serves nobody here.
    """
    listed = () if isinstance(known.gpus, Unknown) else known.gpus
    if known.answered and (listed and container(host) is not None):
        return
    board = None if listed else jetson(host, notes)
    if board is not None:
        yield board
    places = {gpu.pci for gpu in listed}
    alone = [item for item in bus if _is_gpu(item) and item.address not in places and UNKNOWN not in places]
    for item in alone:
        notes.saw(f"gpu {item.address} kernel driver", item.bound or "none", "pci")
        name = _name_by_driver(host, item) or product_name(host, item)
        yield Gpu(vendor="nvidia", name=name or UNKNOWN, pci=item.address, found_via="pci")
    if alone and not host.exists(SYS_MODULE):
        note_obstacles(host, notes)


def _is_gpu(item: PciDevice) -> bool:
    return item.vendor == "nvidia" and item.kind.startswith(("0300", "0302")) and item.bound != "vfio-pci"


def _name_by_driver(host: Host, item: PciDevice) -> str | None:
    """`Model: 		 NVIDIA A100-SXM4-40GB`, which the module tells without NVML."""
    text = host.read(f"{PROC_GPUS}/{item.address}/information", 4096) or ""
    found = re.search(r"^Model:\s+(.+)$", text, re.MULTILINE)
    return printable(found[1]) if found and found[1].strip() != "Unknown" else None


def _windows(host: Host, notes: Notes, known: Nvidia) -> tuple[Gpu, ...] | Unknown:
    """Display adapters by their PCI vendor, where NVML lists none."""
    shell = host.which("powershell") or "C:/Windows/System32/WindowsPowerShell/v1.0/powershell.exe"
    outcome = host.run([shell, "-NoProfile", "-NonInteractive", "-Command", ADAPTERS], POWERSHELL_DEADLINE)
    try:
        told = json.loads(outcome.out) if outcome.ok else None
    except (ValueError, RecursionError):
        told = None
    if told is None:
        notes.gap("gpus", outcome.reason or "Windows does not list its display adapters", ADAPTERS)
        return UNKNOWN
    return tuple(_adapters(told if isinstance(told, list) else [told], known))


def _adapters(rows: list[object], known: Nvidia) -> Iterator[Gpu]:
    """Intel graphics count where they are called Arc: others only draw."""
    for row in rows:
        name, place = (
            (str(row.get(key)) for key in ("Name", "PNPDeviceID")) if isinstance(row, dict) else ("", "")
        )
        name = printable(name)
        if "VEN_10DE" in place and not known.answered:
            yield Gpu(vendor="nvidia", name=name, found_via="Windows")
        elif "VEN_1002" in place:
            yield Gpu(vendor="amd", name=name, compute_capability=None, found_via="Windows")
        elif "VEN_8086" in place and "Arc" in name:
            yield Gpu(vendor="intel", name=name, compute_capability=None, found_via="Windows")
