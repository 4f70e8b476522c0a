"""Devices on the PCI bus as the Linux kernel lists them."""

from __future__ import annotations

import re

from dlsetup.model.record import Record
from dlsetup.probe.host import Host
from dlsetup.probe.notes import printable

FOLDER = "/sys/bus/pci/devices"
NAME_FILES = ("/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids")
NAME_LIMIT = 8 << 20
DISPLAY, ACCELERATOR = "03", "12"
VENDORS = {
    "10de": "nvidia",
    "1002": "amd",
    "8086": "intel",
    "19e5": "ascend",
    "1ae0": "google",
}


class PciDevice(Record, frozen=True, kw_only=True):
    """`kind`: the class code without 0x, `030000` for a display; `bound`: the kernel driver or empty."""

    address: str
    vendor: str
    device: str
    kind: str
    bound: str = ""

    @property
    def is_display(self) -> bool:
        return self.kind.startswith(DISPLAY)


def pci_devices(host: Host) -> tuple[PciDevice, ...] | None:
    """Devices of the vendors that make accelerators; None where the kernel lists no bus at all."""
    if not host.is_folder(FOLDER):
        return None
    found = (_device(host, address) for address in host.names(FOLDER))
    return tuple(item for item in found if item)


def _device(host: Host, address: str) -> PciDevice | None:
    folder = f"{FOLDER}/{address}"
    vendor = VENDORS.get(_code(host, f"{folder}/vendor"))
    kind = _code(host, f"{folder}/class") if vendor else ""
    if not vendor or not (kind.startswith((DISPLAY, ACCELERATOR)) or vendor == "google"):
        return None
    bound = (host.link(f"{folder}/driver") or "").rpartition("/")[2]
    device = _code(host, f"{folder}/device")
    return PciDevice(address=address, vendor=vendor, device=device, kind=kind, bound=printable(bound))


def _code(host: Host, path: str) -> str:
    text = (host.read(path, 64) or "").strip().lower().removeprefix("0x")
    return text if re.fullmatch(r"[0-9a-f]{4,6}", text) else ""


def product_name(host: Host, device: PciDevice) -> str | None:
    """The product in the system's list of PCI names, where it has one.

    The list says `AD102 [GeForce RTX 4090]`: chip first, product in brackets.
    """
    code = next(code for code, vendor in VENDORS.items() if vendor == device.vendor)
    for path in NAME_FILES:
        text = host.read(path, NAME_LIMIT)
        if text is None:
            continue
        vendor = re.search(rf"^{code}  .*\n((?:[\t#].*\n|\n)*)", text, re.MULTILINE)
        line = re.search(rf"^\t{device.device}  (.+)$", vendor[1], re.MULTILINE) if vendor else None
        if line:
            product = re.search(r"\[(.+)\]", line[1])
            return printable(product[1] if product else line[1])
    return None
