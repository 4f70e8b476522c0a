"""AMD GPUs, from the list that their compute driver keeps."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.model.machine import Gpu
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.probe.host import Host
from dlsetup.probe.pci import PciDevice, product_name

NODES = "/sys/class/kfd/kfd/topology/nodes"


def amd(host: Host, bus: tuple[PciDevice, ...]) -> Iterator[Gpu]:
    """Those that compute, with their architecture, then those that only the bus shows."""
    on_bus = {item.address: item for item in bus if item.vendor == "amd"}
    for node in host.names(NODES):
        values = _values(host.read(f"{NODES}/{node}/properties"))
        if not values.get("gfx_target_version"):
            continue
        address = _address(values)
        device = on_bus.pop(address, None)
        name = product_name(host, device) if device else None
        yield Gpu(
            vendor="amd",
            name=name or UNKNOWN,
            arch=gfx(values["gfx_target_version"]),
            compute_capability=None,
            memory_bytes=_memory(host, node),
            pci=address,
            found_via="kfd",
        )
    for device in on_bus.values():
        yield Gpu(
            vendor="amd",
            name=product_name(host, device) or UNKNOWN,
            compute_capability=None,
            pci=device.address,
            found_via="pci",
        )


def gfx(number: int) -> str:
    """`110000` is gfx1100 and `90010` is gfx90a: two digits each, the last two written in hexadecimal."""
    return f"gfx{number // 10000}{number // 100 % 100:x}{number % 100:x}"


def _values(text: str | None) -> dict[str, int]:
    return {key: int(value) for key, value in re.findall(r"^(\w+) (\d{1,20})$", text or "", re.MULTILINE)}


def _address(values: dict[str, int]) -> str:
    place = values.get("location_id", 0)
    return f"{values.get('domain', 0):04x}:{place >> 8:02x}:{place >> 3 & 31:02x}.{place & 7}"


def _memory(host: Host, node: str) -> int | Unknown:
    banks = f"{NODES}/{node}/mem_banks"
    sizes = (
        _values(host.read(f"{banks}/{bank}/properties")).get("size_in_bytes", 0) for bank in host.names(banks)
    )
    return sum(sizes) or UNKNOWN
