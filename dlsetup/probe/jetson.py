"""NVIDIA's Jetson boards, whose GPU is part of the processor and on no bus."""

from __future__ import annotations

import re

from dlsetup.model.machine import Gpu
from dlsetup.model.versions import ComputeCapability
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes, printable

PROCESSORS = {
    "tegra210": "5.3",
    "tegra186": "6.2",
    "tegra194": "7.2",
    "tegra234": "8.7",
    "tegra264": "11.0",
}
"""The processor's own name in the device tree, and what its GPU can execute."""
RELEASE = "/etc/nv_tegra_release"


def jetson(host: Host, notes: Notes) -> Gpu | None:
    """The board's GPU; None on any other machine."""
    compatible = host.read("/proc/device-tree/compatible", 4096) or ""
    processor = next((item for item in PROCESSORS if f"nvidia,{item}" in compatible.split("\0")), None)
    if processor is None:
        return None
    _note_release(host, notes)
    capability = ComputeCapability(PROCESSORS[processor])
    return Gpu(
        vendor="nvidia",
        name=printable((host.read("/proc/device-tree/model", 4096) or processor).rstrip("\0")),
        arch=capability.sm,
        compute_capability=capability,
        mig=None,
        found_via="device tree",
    )


def _note_release(host: Host, notes: Notes) -> None:
    """`# R36 (release), REVISION: 4.3, GCID: …` is Jetson Linux 36.4.3."""
    found = re.match(r"# R(\d+) \(release\), REVISION: ([\d.]+)", host.read(RELEASE, 4096) or "")
    if found:
        notes.saw("jetson.linux", f"{found[1]}.{found[2]}", RELEASE)
