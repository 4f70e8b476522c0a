"""Accelerators of other makers: Intel, Apple, Ascend, and Google's TPU."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.model.machine import Gpu
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.probe.host import Host
from dlsetup.probe.macos import kernel_words
from dlsetup.probe.notes import Notes, printable
from dlsetup.probe.pci import PciDevice, product_name

INTEL_COMPUTE = re.compile(
    r"56[0-9a-f]{2}|4f8[0-9a-f]|0b[d6][0-9a-f]|e2[0-9a-f]{2}|7d[0-9a-f]{2}|64[0-9a-f]{2}"
)
"""PCI ids of Arc, Flex and Max, and of the Arc graphics inside Core Ultra."""
ASCEND_CHIPS = {"d801": "ascend910", "d802": "ascend910b", "d803": "ascend910_93", "d500": "ascend310p"}
TPU_CHIPS: dict[str, str | Unknown] = {
    "0027": UNKNOWN,  # v2 and v3 share this id
    "005e": "tpu-v4",
    "0062": "tpu-v5p",
    "0063": "tpu-v5e",
    "006f": "tpu-v6e",
    "0076": "tpu-v7x",
}
TPU_WORDS = {"v5litepod": "tpu-v5e", "v5p": "tpu-v5p", "v6e": "tpu-v6e", "v4": "tpu-v4", "v3": "tpu-v3"}


def apple(host: Host, notes: Notes) -> Iterator[Gpu]:
    """The GPU of Apple silicon; that of a Mac with an Intel processor no framework uses any more."""
    told = kernel_words(host, notes).get("machdep.cpu.brand_string", "")
    chip = re.match(r"Apple (M\d+)", told)
    if chip:
        arch = f"apple-{chip[1].lower()}"
        yield Gpu(vendor="apple", name=told, arch=arch, compute_capability=None, found_via="sysctl")


def intel(host: Host, notes: Notes, bus: tuple[PciDevice, ...]) -> Iterator[Gpu]:
    """GPUs that are made to compute; graphics that only draw are a sighting."""
    for item in bus:
        if item.vendor != "intel" or not item.is_display:
            continue
        name = product_name(host, item)
        if item.bound == "xe" or INTEL_COMPUTE.fullmatch(item.device):
            yield Gpu(
                vendor="intel",
                name=name or UNKNOWN,
                compute_capability=None,
                pci=item.address,
                found_via="pci",
            )
        else:
            words = (
                f"{name or f'Intel graphics {item.device}'} ({item.bound or 'no driver'}), not for computing"
            )
            notes.saw(f"display {item.address}", words, "pci")


def ascend(host: Host, bus: tuple[PciDevice, ...]) -> Iterator[Gpu]:
    """Huawei's NPUs. A container sees all of them on the bus and its own as /dev/davinciN."""
    chips = [item for item in bus if item.vendor == "ascend" and item.device in ASCEND_CHIPS]
    nodes = [name for name in host.names("/dev") if re.fullmatch(r"davinci\d+", name)]
    kinds = {ASCEND_CHIPS[item.device] for item in chips}
    if len(nodes) in (0, len(chips)):
        for item in chips:
            arch = ASCEND_CHIPS[item.device]
            yield Gpu(vendor="ascend", arch=arch, compute_capability=None, pci=item.address, found_via="pci")
        return
    for name in nodes:
        arch_of_all = next(iter(kinds)) if len(kinds) == 1 else UNKNOWN
        yield Gpu(vendor="ascend", arch=arch_of_all, compute_capability=None, found_via=f"/dev/{name}")


def tpu(host: Host, bus: tuple[PciDevice, ...]) -> Iterator[Gpu]:
    """Google's TPUs by their PCI id; the name that the TPU machine gives itself tells v2 from v3."""
    told = host.environ.get("TPU_ACCELERATOR_TYPE") or host.environ.get("ACCELERATOR_TYPE") or ""
    word = printable(told).partition("-")[0]
    for item in bus:
        if item.vendor == "google" and item.device in TPU_CHIPS:
            arch = TPU_CHIPS[item.device]
            yield Gpu(
                vendor="google",
                arch=TPU_WORDS.get(word, UNKNOWN) if arch is UNKNOWN else arch,
                compute_capability=None,
                pci=item.address,
                found_via="pci",
            )
