"""GPUs and other accelerators, also those whose own tools are not there to tell."""

from __future__ import annotations

import re

from msgspec.structs import replace

from dlsetup.model.machine import Gpu, Vendor
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.probe.confinement import is_wsl
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes, printable
from dlsetup.probe.nvidia import Nvidia
from dlsetup.probe.pci import PciDevice, pci_devices, product_name

KFD = "/sys/class/kfd/kfd/topology/nodes"
INTEL_GPUS = re.compile(r"^(?:56[0-9a-f]{2}|0b[db][0-9a-f]|e2[0-9a-f]{2}|e21[0-9a-f])$")
"""PCI ids of Arc A, Flex, Max and Arc B: GPUs that are made to compute. Others only draw."""
ASCEND_CHIPS = {"d801": "ascend910", "d802": "ascend910b", "d803": "ascend910_93", "d500": "ascend310p"}
TPU_CHIPS = {
    "0027": "tpu-v3",
    "0056": "tpu-v4",
    "005e": "tpu-v4",
    "0063": "tpu-v5e",
    "0062": "tpu-v5p",
    "006f": "tpu-v6e",
}


def devices(host: Host, notes: Notes, known: Nvidia | None) -> tuple[Gpu, ...] | Unknown:
    """Every accelerator once; unknown only where a driver is there that nobody could ask.

    `known` is what the NVIDIA sources said; None: they did not answer.
    """
    if host.platform == "darwin":
        return _apple(host)
    listed = () if known is None or isinstance(known.gpus, Unknown) else known.gpus
    bus = pci_devices(host) if host.platform.startswith("linux") else None
    others = [gpu for item in bus or () if (gpu := _from_bus(host, item, listed)) is not None]
    gpus = (*listed, *_amd(host, others), *(gpu for gpu in others if gpu.vendor != "amd"))
    gpus = (*gpus, *_nodes(host, gpus))
    if gpus or (known is not None and (known.answered or known.driver is None)):
        return gpus
    if bus is not None and not is_wsl(host):
        return ()
    notes.gap("gpus", "there is a driver, but nobody could list its GPUs", "nvidia-smi -L")
    return UNKNOWN


def _apple(host: Host) -> tuple[Gpu, ...]:
    """The GPU of Apple silicon; a Mac with an Intel processor has none that a framework still uses."""
    told = host.run(["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"], 2.0).out.strip()
    chip = re.match(r"Apple (M\d+)", told)
    if chip is None:
        return ()
    arch = f"apple-{chip[1].lower()}"
    return (
        Gpu(vendor="apple", name=printable(told), arch=arch, compute_capability=None, found_via="sysctl"),
    )


def _from_bus(host: Host, item: PciDevice, listed: tuple[Gpu, ...]) -> Gpu | None:
    """A device on the bus that is an accelerator and that no other source has listed."""
    if item.vendor == "nvidia":
        return None if _same(item, listed) or not _is_gpu(item) else _unlisted(host, item, UNKNOWN)
    if item.vendor == "intel" and not (item.is_display and INTEL_GPUS.match(item.device)):
        return None
    if item.vendor == "ascend" and item.device not in ASCEND_CHIPS:
        return None
    chips = {"ascend": ASCEND_CHIPS, "google": TPU_CHIPS}.get(item.vendor, {})
    if item.vendor == "google" and item.device not in chips:
        return None
    return replace(_unlisted(host, item, None), arch=chips.get(item.device, UNKNOWN))


def _is_gpu(item: PciDevice) -> bool:
    return item.kind.startswith(("0300", "0302"))


def _unlisted(host: Host, item: PciDevice, capability: None | Unknown) -> Gpu:
    vendor: Vendor = item.vendor  # type: ignore[assignment]
    return Gpu(
        vendor=vendor,
        name=product_name(host, item) or UNKNOWN,
        compute_capability=capability,
        pci=item.address,
        found_via="pci",
    )


def _same(item: PciDevice, listed: tuple[Gpu, ...]) -> bool:
    """NVML writes `00000000:01:00.0`, the kernel `0000:01:00.0`. A GPU without an address may be it."""
    return any(isinstance(gpu.pci, Unknown) or _place(gpu.pci) == _place(item.address) for gpu in listed)


def _place(address: str) -> tuple[int, str]:
    domain, _, rest = address.lower().partition(":")
    return (int(domain, 16) if re.fullmatch(r"[0-9a-f]+", domain) else -1), rest


def _amd(host: Host, others: list[Gpu]) -> tuple[Gpu, ...]:
    """The compute driver's own list, which tells the architecture, before what the bus shows.

    `gfx_target_version 110000` is gfx1100, `90010` is gfx90a; processors have 0.
    """
    found = []
    for node in host.names(KFD):
        text = host.read(f"{KFD}/{node}/properties") or ""
        values = dict(re.findall(r"^(\w+) (\d+)$", text, re.MULTILINE))
        target = int(values.get("gfx_target_version", "0"))
        if not target:
            continue
        place = int(values.get("location_id", "0"))
        address = f"{int(values.get('domain', '0')):04x}:{place >> 8:02x}:{place >> 3 & 31:02x}.{place & 7}"
        seen = next((gpu for gpu in others if gpu.vendor == "amd" and gpu.pci == address), None)
        name = seen.name if seen else printable(host.read(f"{KFD}/{node}/name", 200) or "") or UNKNOWN
        gpu = Gpu(
            vendor="amd", name=name, arch=_gfx(target), compute_capability=None, pci=address, found_via="kfd"
        )
        found.append(replace(gpu, memory_bytes=_amd_memory(host, node)))
    return tuple(found) or tuple(gpu for gpu in others if gpu.vendor == "amd")


def _gfx(target: int) -> str:
    major, minor, step = target // 10000, target // 100 % 100, target % 100
    return f"gfx{major}{minor:x}{step:x}"


def _amd_memory(host: Host, node: str) -> int | Unknown:
    for bank in host.names(f"{KFD}/{node}/mem_banks"):
        size = re.search(
            r"^size_in_bytes (\d+)$", host.read(f"{KFD}/{node}/mem_banks/{bank}/properties") or "", re.M
        )
        if size and int(size[1]) > 0:
            return int(size[1])
    return UNKNOWN


def _nodes(host: Host, gpus: tuple[Gpu, ...]) -> tuple[Gpu, ...]:
    """Device files of accelerators that no bus shows, as inside a container."""
    vendors = {gpu.vendor for gpu in gpus}
    found = []
    if "ascend" not in vendors:
        cards = [name for name in host.names("/dev") if re.fullmatch(r"davinci\d+", name)]
        found += [Gpu(vendor="ascend", compute_capability=None, found_via=f"/dev/{name}") for name in cards]
    if "google" not in vendors:
        chips = [name for name in host.names("/dev") if re.fullmatch(r"accel\d+", name)]
        kind = host.environ.get("TPU_ACCELERATOR_TYPE") or host.environ.get("ACCELERATOR_TYPE")
        if kind and chips:
            arch = f"tpu-{printable(kind).partition('-')[0]}"
            found += [
                Gpu(vendor="google", arch=arch, compute_capability=None, found_via=f"/dev/{name}")
                for name in chips
            ]
    return tuple(found)
