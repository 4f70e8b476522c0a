"""What kernels, daemons and tools of boards answer, and what programs say of the machine they run on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dlsetup.intake.formats import board_tools, framework_reports, host_settings, kernel_answers
from dlsetup.intake.page import Page
from dlsetup.intake.reading import Format

ROOMS = (board_tools, framework_reports, host_settings, kernel_answers)
JETSON = """Software part of jetson-stats 4.3.0 - (c) 2024, Raffaello Bonghi
Jetpack missing!
 - Model: NVIDIA Jetson Orin NX Engineering Reference Developer Kit
 - L4T: 36.4.3
Platform:
 - Distribution: Ubuntu 22.04 Jammy Jellyfish
 - Release: 5.15.148-tegra
Libraries:
 - CUDA: 12.6.68
 - cuDNN: 9.3.0.75
 - TensorRT: 10.3.0.30
"""
OLD_JETSON = """ - jetson_stats 3.1.4
 - Libraries:
   * CUDA: 10.2.89
   * cuDNN: 8.0.0.180
   * Visionworks: 1.6.0.501
"""
XPU = """+-----------+----------------------------------------------------------+
| Device ID | Device Information                                       |
+-----------+----------------------------------------------------------+
| 0         | Device Name: Intel(R) Data Center GPU Flex 170           |
|           | Vendor Name: Intel(R) Corporation                        |
| 1         | Device Name: Intel(R) Arc(TM) A770 Graphics              |
"""
TOPOLOGY = """\tGPU0\tGPU1\tGPU2\tCPU Affinity\tNUMA Affinity
GPU0\t X \tNV12\tSYS\t0-31\t0
GPU1\tNV12\t X \tPHB\t0-31\t0
GPU2\tSYS\tPHB\t X \t32-63\t1

Legend:

  X    = Self
"""
BITSANDBYTES = """================== BUG REPORT INFORMATION ==================
Platform: Linux-6.8.0-52-generic-x86_64-with-glibc2.39
  libc: glibc-2.39
Python: 3.11.11
PyTorch: 2.6.0+cpu
  CUDA: None
  HIP: N/A
Related packages:
  diffusers: not found
  numpy: 2.2.4
============================================================
PyTorch settings found: CUDA_VERSION=124, Highest Compute Capability: (8, 9).
"""
DEEPSPEED = """torch install path ............... ['/opt/conda/lib/python3.10/site-packages/torch']
torch version .................... 2.2.1+cu121
deepspeed install path ........... ['/opt/conda/lib/python3.10/site-packages/deepspeed']
deepspeed info ................... 0.14.2, unknown, unknown
torch cuda version ............... 12.1
torch hip version ................ None
nvcc version ..................... 11.8
shared memory (/dev/shm) size .... 64.00 MB
"""
TRTEXEC = """&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=model.onnx
[02/01/2024-10:00:00] [I] Selected Device: NVIDIA GeForce RTX 3090
[02/01/2024-10:00:00] [I] Compute Capability: 8.6
"""


def found(text: str, about: str) -> list[object]:
    page = Page(text, "x")
    parsers = [item for room in ROOMS for item in vars(room).values() if isinstance(item, Format)]
    asked = [item for item in parsers if page.holds(*item.marks)]
    return [fact.value for item in asked for fact in item.parser(page) if fact.about == about]


def seen(text: str) -> dict[str, str]:
    return {item.subject: item.value for item in found(text, "observation")}  # type: ignore[attr-defined]


def installed(text: str) -> list[tuple[str, str]]:
    return [(item.name, str(item.version)) for item in found(text, "distribution")]  # type: ignore[attr-defined]


def test_a_module_that_lsmod_does_not_show_is_not_loaded() -> None:
    silent = "user@box:~$ lsmod | grep nvidia\nuser@box:~$ nvidia-smi\n"
    assert found(silent, "modules of NVIDIA") == ["none"]
    assert found("$ lsmod | grep -i nvidia\n$ dmesg | tail\n", "modules of NVIDIA") == ["none"]


def test_an_answer_that_is_cut_off_or_no_longer_true_is_none() -> None:
    assert found("$ lsmod | grep nvidia\n", "modules of NVIDIA") == []
    assert found("$ lsmod | grep nvidia\n\nIt shows nothing.\n", "modules of NVIDIA") == []
    assert found("$ lsmod | grep nvidia\n$ sudo modprobe nvidia\n", "modules of NVIDIA") == []
    assert (
        found(
            "$ uname -r\n5.15.1-microsoft-standard-WSL2\n$ lsmod | grep nvidia\n$ ls\n", "modules of NVIDIA"
        )
        == []
    )


def test_a_loaded_module() -> None:
    text = "$ lsmod | grep nvidia\nnvidia_uvm  1527808  0\nnvidia  56508416  1534 nvidia_uvm\n$ ls\n"
    assert found(text, "modules of NVIDIA") == []
    assert seen(text) == {"lsmod.nvidia": "loaded"}


def test_a_bus_without_a_device_of_nvidia() -> None:
    assert found("$ lspci | grep -i nvidia\n$ ls\n", "gpus") == [()]
    assert found("$ lspci | grep -i nvidia\n01:00.0 VGA compatible controller: NVIDIA\n", "gpus") == []
    assert found("WSL2 here\n$ lspci | grep -i nvidia\n$ ls\n", "gpus") == []


def test_wslconfig() -> None:
    text = "[wsl2]\nmemory=8GB # of 32\nkernel=C:\\\\k\\\\bzImage\n[experimental]\nmemory=1GB\n"
    assert found(text, "system.memory_bytes") == []
    assert found(text.replace(" # of 32", ""), "system.memory_bytes") == [8 << 30]
    assert "bzImage" in seen(text)["wsl.kernel"]


def test_daemon_json() -> None:
    text = (
        '{\n "default-runtime": "nvidia",\n "runtimes": {\n  "nvidia": {\n   "args": [],\n'
        '   "path": "nvidia-container-runtime"\n  }\n },\n "features": {"cdi": true}\n}\n'
    )
    assert found(text, "docker.runtimes") == [("nvidia", "runc")]
    assert seen(text) == {"docker.default_runtime": "nvidia", "docker.features.cdi": "true"}
    assert found('{"runtimes": {"crun": {"path": "/usr/bin/crun"}}}', "docker.runtimes") == []


def test_the_links_of_three_gpus() -> None:
    assert len(found(TOPOLOGY, "gpu")) == 3
    assert seen(TOPOLOGY) == {"nvidia-smi.topo": "GPU0-GPU1 NV12, GPU0-GPU2 SYS, GPU1-GPU2 PHB"}


def test_jetson_release_of_two_generations() -> None:
    assert seen(JETSON) == {"tegra.release": "36.4.3", "tensorrt.version": "10.3.0.30"}
    assert found(JETSON, "system.kernel") == ["5.15.148-tegra"]
    assert found(JETSON, "system.name") == ["Ubuntu 22.04"]
    assert [str(item.version) for item in found(JETSON, "toolkit")] == ["12.6.68"]  # type: ignore[attr-defined]
    assert [str(item.version) for item in found(OLD_JETSON, "library")] == ["8.0.0.180"]  # type: ignore[attr-defined]


def test_gpus_of_intel() -> None:
    assert [item.name for item in found(XPU, "gpu")] == [  # type: ignore[attr-defined]
        "Intel Data Center GPU Flex 170",
        "Intel Arc A770 Graphics",
    ]


def test_deepspeed() -> None:
    assert installed(DEEPSPEED) == [("torch", "2.2.1+cu121"), ("deepspeed", "0.14.2")]
    assert seen(DEEPSPEED) == {"torch.version.cuda": "12.1", "torch.version.hip": "None"}
    assert [str(item.version) for item in found(DEEPSPEED, "toolkit")] == ["11.8"]  # type: ignore[attr-defined]
    assert found(DEEPSPEED, "system.shm_bytes") == [64 << 20]


def test_bitsandbytes_of_two_generations() -> None:
    assert installed(BITSANDBYTES) == [("torch", "2.6.0+cpu"), ("numpy", "2.2.4")]
    assert seen(BITSANDBYTES) == {"torch.version.cuda": "None", "torch.version.hip": "None"}
    assert [str(item.compute_capability) for item in found(BITSANDBYTES, "gpu")] == ["8.9"]  # type: ignore[attr-defined]
    old = "CUDA SETUP: Highest compute capability among GPUs detected: 8.6\nCUDA SETUP: Detected CUDA version 117\n"
    assert [str(item.compute_capability) for item in found(old, "gpu")] == ["8.6"]  # type: ignore[attr-defined]


def test_oneflow_trtexec_and_nccl() -> None:
    assert installed("version: 0.9.0+cu117\ngit_commit: 381b12c\ncmake_build_type: Release\n") == [
        ("oneflow", "0.9.0+cu117")
    ]
    assert seen(TRTEXEC) == {"tensorrt.version": "8.6.1"}
    assert [item.name for item in found(TRTEXEC, "gpu")] == ["NVIDIA GeForce RTX 3090"]  # type: ignore[attr-defined]
    assert seen(TRTEXEC.replace("v8601", "v100300")) == {"tensorrt.version": "10.3.0"}
    log = "box:1:1 [0] NCCL INFO cudaDriverVersion 12040\nNCCL version 2.21.5+cuda12.4\n"
    assert [str(item) for item in found(log, "driver.cuda_ceiling")] == ["12.4"]
    assert seen(log) == {"nccl.version": "2.21.5, built for CUDA 12.4"}


WORDS = (
    "$ lsmod | grep nvidia",
    "[wsl2]",
    '"runtimes": {',
    "GPU0 X",
    "  CUDA: None",
    "[TensorRT v8601]",
    "[I] ",
)


@given(st.lists(st.one_of(st.text(max_size=40), st.sampled_from(WORDS)), max_size=12))
def test_anything_is_read_without_a_failure(lines: list[str]) -> None:
    page = Page("\n".join(lines), "paste")
    for room in ROOMS:
        for item in vars(room).values():
            if isinstance(item, Format):
                list(item.parser(page))
