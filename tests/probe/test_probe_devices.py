"""GPUs of every maker, out of what a kernel shows of them."""

from __future__ import annotations

import json

import pytest
from probe_roots import Builder, Root

from dlsetup.model.machine import Driver, Gpu
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.versions import ComputeCapability
from dlsetup.probe.amd import gfx
from dlsetup.probe.devices import devices
from dlsetup.probe.notes import Notes
from dlsetup.probe.nvidia import Nvidia, nvidia

NO_DRIVER = Nvidia(driver=None)
NAMES = """\
# comment
1002  Advanced Micro Devices, Inc. [AMD/ATI]
\t744c  Navi 31 [Radeon RX 7900 XT/7900 XTX/7900M]
10de  NVIDIA Corporation
\t2204  GA102 [GeForce RTX 3090]
\t\t147d 10de  Founders Edition
\t2684  AD102 [GeForce RTX 4090]
8086  Intel Corporation
\t2684  not this one
"""


def seen(root: Root, known: Nvidia = NO_DRIVER, **more: str) -> tuple[tuple[Gpu, ...] | Unknown, Notes]:
    notes = Notes()
    return devices(root.host(**more), notes, known), notes


def test_none(root: Root) -> None:
    root.linux()
    root.pci("0000:00:01.0", "1af4", "1050")
    gpus, notes = seen(root)
    assert gpus == ()
    assert notes.gaps == []


def test_an_nvidia_gpu_without_a_driver_has_a_name_and_an_obstacle(root: Root) -> None:
    root.linux()
    root.pci("0000:01:00.0", "10de", "2684", driver="nouveau")
    root.pci("0000:01:00.1", "10de", "22ba", kind="0x040300")
    root.write("/usr/share/misc/pci.ids", NAMES)
    variable = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
    root.write(variable, b"\x06\0\0\0\x01")
    gpus, notes = seen(root)
    assert gpus == (Gpu(vendor="nvidia", name="GeForce RTX 4090", pci="0000:01:00.0", found_via="pci"),)
    assert [(item.fact, item.value) for item in notes.sightings] == [
        ("gpu 0000:01:00.0 kernel driver", "nouveau"),
        ("secure boot", "enabled"),
    ]


def test_the_same_gpu_on_the_bus_and_in_nvml_is_one(gpu_server: Builder) -> None:
    root = gpu_server("driver 535.129.03\ncuda 12020\ngpu NVIDIA L4|8|9|24152899584|00000000:01:00.0|-1|0\n")
    root.pci("0000:01:00.0", "10de", "27b8", kind="0x030200", driver="nvidia")
    root.pci("0000:02:00.0", "10de", "102d", kind="0x030200")
    known = nvidia(root.host(), Notes())
    gpus, _ = seen(root, known)
    assert isinstance(gpus, tuple)
    assert [(gpu.pci, gpu.found_via, gpu.arch) for gpu in gpus] == [
        ("0000:01:00.0", "nvml", "sm_89"),
        ("0000:02:00.0", "pci", UNKNOWN),
    ]
    root.write("/.dockerenv")
    gpus, _ = seen(root, known)
    assert gpus == known.gpus, "a container was given what NVML lists and no more"


def test_the_module_tells_names_where_nvml_does_not(root: Root) -> None:
    root.linux()
    root.driver_module("535.154.05")
    root.pci("0000:65:00.0", "10de", "20b0", kind="0x030200", driver="nvidia")
    root.write(
        "/proc/driver/nvidia/gpus/0000:65:00.0/information", "Model: \t\t NVIDIA A100-SXM4-40GB\nIRQ: 1\n"
    )
    gpus, _ = seen(root, Nvidia(driver=Driver(nvml_error="LIB_RM_VERSION_MISMATCH")))
    assert isinstance(gpus, tuple)
    assert [gpu.name for gpu in gpus] == ["NVIDIA A100-SXM4-40GB"]


def test_a_gpu_lent_to_a_virtual_machine_serves_nobody_here(root: Root) -> None:
    root.linux()
    root.pci("0000:01:00.0", "10de", "2684", driver="vfio-pci")
    assert seen(root)[0] == ()


def test_a_driver_whose_gpus_nobody_lists_is_unknown_without_a_bus(root: Root) -> None:
    root.linux(kernel="5.15.167.4-microsoft-standard-WSL2")
    gpus, notes = seen(root, Nvidia(driver=Driver(nvml_error="UNKNOWN")))
    assert gpus is UNKNOWN
    assert [gap.ask for gap in notes.gaps] == ["nvidia-smi -L"]


def amd_node(root: Root, number: int, **values: int) -> None:
    folder = f"/sys/class/kfd/kfd/topology/nodes/{number}"
    root.write(f"{folder}/properties", "".join(f"{key} {value}\n" for key, value in values.items()))
    root.write(f"{folder}/mem_banks/0/properties", "heap_type 1\nsize_in_bytes 25753026560\n")


def test_amd_gpus_have_the_architecture_of_their_driver(root: Root) -> None:
    root.linux()
    root.write("/usr/share/misc/pci.ids", NAMES)
    root.pci("0000:03:00.0", "1002", "744c", driver="amdgpu")
    root.pci("0000:0d:00.0", "1002", "164e", driver="amdgpu")
    amd_node(root, 0, cpu_cores_count=24, gfx_target_version=0)
    amd_node(root, 1, simd_count=192, gfx_target_version=110000, location_id=0x300, domain=0)
    gpus, _ = seen(root)
    assert gpus == (
        Gpu(
            vendor="amd",
            name="Radeon RX 7900 XT/7900 XTX/7900M",
            arch="gfx1100",
            compute_capability=None,
            memory_bytes=25753026560,
            pci="0000:03:00.0",
            found_via="kfd",
        ),
        Gpu(vendor="amd", compute_capability=None, pci="0000:0d:00.0", found_via="pci"),
    )


@pytest.mark.parametrize(
    ("number", "name"),
    [(90010, "gfx90a"), (90402, "gfx942"), (100300, "gfx1030"), (110501, "gfx1151"), (120001, "gfx1201")],
)
def test_how_amd_writes_architectures(number: int, name: str) -> None:
    assert gfx(number) == name


def test_intel_graphics_that_only_draw_are_said_to(root: Root) -> None:
    root.linux()
    root.pci("0000:00:02.0", "8086", "3e92", driver="i915")
    root.pci("0000:03:00.0", "8086", "56a0", driver="i915")
    root.pci("0000:04:00.0", "8086", "b080", driver="xe")
    gpus, notes = seen(root)
    assert isinstance(gpus, tuple)
    assert [(gpu.vendor, gpu.pci, gpu.arch) for gpu in gpus] == [
        ("intel", "0000:03:00.0", UNKNOWN),
        ("intel", "0000:04:00.0", UNKNOWN),
    ]
    assert [item.value for item in notes.sightings] == ["Intel graphics 3e92 (i915), not for computing"]


def test_ascend(root: Root) -> None:
    root.linux()
    for bus in ("c1", "c2"):
        root.pci(f"0000:{bus}:00.0", "19e5", "d802", kind="0x120000")
    gpus, _ = seen(root)
    assert isinstance(gpus, tuple)
    assert [(gpu.arch, gpu.pci) for gpu in gpus] == [
        ("ascend910b", "0000:c1:00.0"),
        ("ascend910b", "0000:c2:00.0"),
    ]
    root.write("/dev/davinci3")
    root.write("/dev/davinci_manager")
    gpus, _ = seen(root)
    assert gpus == (
        Gpu(vendor="ascend", arch="ascend910b", compute_capability=None, found_via="/dev/davinci3"),
    )


def test_tpu(root: Root) -> None:
    root.linux()
    root.pci("0000:00:04.0", "1ae0", "0063", kind="0x088000")
    root.pci("0000:00:05.0", "1ae0", "0027", kind="0x088000")
    root.pci("0000:00:06.0", "1ae0", "0042", kind="0x020000")
    root.environ["TPU_ACCELERATOR_TYPE"] = "v3-8"
    gpus, _ = seen(root)
    assert isinstance(gpus, tuple)
    assert [gpu.arch for gpu in gpus] == ["tpu-v5e", "tpu-v3"]


def test_a_jetson_is_on_no_bus(root: Root) -> None:
    root.linux(kernel="5.15.148-tegra")
    root.write("/proc/device-tree/model", "NVIDIA Jetson AGX Orin Developer Kit\0")
    root.write("/proc/device-tree/compatible", "nvidia,p3737-0000+p3701-0005\0nvidia,tegra234\0")
    root.write("/etc/nv_tegra_release", "# R36 (release), REVISION: 4.3, GCID: 38968081, BOARD: generic\n")
    gpus, notes = seen(root)
    assert gpus == (
        Gpu(
            vendor="nvidia",
            name="NVIDIA Jetson AGX Orin Developer Kit",
            arch="sm_87",
            compute_capability=ComputeCapability("8.7"),
            mig=None,
            found_via="device tree",
        ),
    )
    assert [item.value for item in notes.sightings] == ["36.4.3"]


@pytest.mark.parametrize(("brand", "arch"), [("Apple M2 Pro", "apple-m2"), ("Intel(R) Core(TM) i7", None)])
def test_macs(root: Root, brand: str, arch: str | None) -> None:
    root.program("/usr/sbin/sysctl", f'echo "machdep.cpu.brand_string: {brand}"; echo "hw.optional.arm64: 1"')
    gpus, _ = seen(root, platform="darwin", arch="arm64")
    assert isinstance(gpus, tuple)
    assert [gpu.arch for gpu in gpus] == ([arch] if arch else [])


ADAPTERS = [
    {"Name": "NVIDIA GeForce RTX 3060", "PNPDeviceID": "PCI\\VEN_10DE&DEV_2504&SUBSYS_0"},
    {"Name": "Intel(R) UHD Graphics 770", "PNPDeviceID": "PCI\\VEN_8086&DEV_4680"},
    {"Name": "AMD Radeon RX 7800 XT", "PNPDeviceID": "PCI\\VEN_1002&DEV_747E"},
    {"Name": "Microsoft Remote Display", "PNPDeviceID": "SWD\\REMOTEDISPLAYENUM"},
]


def test_display_adapters_of_windows(root: Root) -> None:
    root.environ["PATH"] = "/shell"
    root.write("/adapters.json", json.dumps(ADAPTERS))
    root.program("/shell/powershell.exe", f"/bin/cat '{root.local('/adapters.json')}'")
    gpus, _ = seen(root, platform="win32")
    assert isinstance(gpus, tuple)
    assert [(gpu.vendor, gpu.name) for gpu in gpus] == [
        ("nvidia", "NVIDIA GeForce RTX 3060"),
        ("amd", "AMD Radeon RX 7800 XT"),
    ]


def test_windows_that_does_not_answer_is_unknown(root: Root) -> None:
    root.environ["PATH"] = "/shell"
    root.program("/shell/powershell.exe", "exit 1")
    gpus, notes = seen(root, platform="win32")
    assert gpus is UNKNOWN
    assert [gap.fact for gap in notes.gaps] == ["gpus"]
