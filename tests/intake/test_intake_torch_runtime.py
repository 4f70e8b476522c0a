"""Reports of memory, extensions, DLLs, AMD GPUs, Macs and Jetsons, read and judged whole."""

from __future__ import annotations

import pytest
from told_remedies import diagnosed

SITE = "/opt/env/lib/python3.10/site-packages"
OLD_ABI = f"ImportError: {SITE}/_C.cpython-310-x86_64-linux-gnu.so: undefined symbol: "
OLD_ABI += "_ZN3c106detail14torchCheckFailEPKcS2_jRKSs"
NEW_ABI = f"ImportError: {SITE}/flash_attn_2_cuda.so: undefined symbol: "
NEW_ABI += "_ZN3c105ErrorC2ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
DLL = 'OSError: [WinError {}] It failed. Error loading "C:\\a\\Lib\\site-packages\\torch\\lib\\{}" or one of'
GFX = "  Name:                    {}\n  Marketing Name:          AMD Radeon\n>>> torch.__version__\n'{}'\n"
MAC = "PyTorch version: {}\nCUDA used to build PyTorch: None\nOS: macOS {} (arm64)\n"
MAC += "Python platform: macOS-{}-arm64-arm-64bit\n[pip3] torch=={}\n"
NEW_WORDS = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {}. GPU 0 has a total capacity of 23.64 "
    "GiB of which 80.12 MiB is free. Including non-PyTorch memory, this process has 22.37 GiB memory in use. "
    "Of the allocated memory {} is allocated by PyTorch, and {} is reserved by PyTorch but unallocated."
)
OLD_WORDS = (
    "RuntimeError: CUDA out of memory. Tried to allocate {} (GPU 0; 23.70 GiB total capacity; {} already "
    "allocated; 13.31 MiB free; {} {})"
)
REPORTS = (
    ("cuda-oom-capacity", NEW_WORDS.format("512.00 MiB", "22.10 GiB", "210.55 MiB")),
    ("cuda-oom-capacity", OLD_WORDS.format("20.00 MiB", "22.01 GiB", "22.20 GiB", "cached")),
    ("cuda-oom-fragmentation", NEW_WORDS.format("3.00 GiB", "12.17 GiB", "9.60 GiB")),
    (
        "cuda-oom-fragmentation",
        OLD_WORDS.format("2.00 GiB", "12.01 GiB", "21.50 GiB", "reserved in total by PyTorch"),
    ),
    ("extension-cxx11-abi-mismatch", f"torch==2.7.1\n{OLD_ABI}"),
    ("extension-cxx11-abi-mismatch", f"torch==2.5.1+cu124\n{NEW_ABI}"),
    ("extension-built-for-other-torch", f"torch==2.7.1\n{NEW_ABI}"),
    (
        "extension-built-for-other-torch",
        "xFormers was built for:\n    PyTorch 2.1.0+cu121 with CUDA 1201 (you have 2.2.2+cu118)",
    ),
    ("windows-runtime-dll-missing", DLL.format(126, "shm.dll")),
    ("windows-runtime-dll-missing", DLL.format(1114, "c10.dll")),
    (
        "package-has-no-windows-gpu-build",
        "bitsandbytes==0.41.1\nbin C:\\a\\lib\\site-packages\\bitsandbytes\\libbitsandbytes_cpu.so\n",
    ),
    ("rocm-gfx-not-in-build", GFX.format("gfx1032", "2.3.1+rocm6.0")),
    ("rocm-gfx-not-in-build", "OS: Ubuntu 22.04\nhipErrorNoBinaryForGpu: Unable to find code object"),
    ("macos-too-old-for-mps", MAC.format("2.5.1", "12.7.6", "12.7.6", "2.5.1")),
    ("mac-python-is-x86-64", "Apple M1\nmacOS-10.16-x86_64-i386-64bit\ntorch==1.13.1\n"),
    (
        "jetson-needs-nvidia-wheel",
        "# R35 (release), REVISION: 4.1, GCID: 1, BOARD: t186ref, EABI: aarch64\ntorch 2.1.0\n"
        ">>> torch.version.cuda\nNone\n",
    ),
)
HEALTHY = (
    GFX.format("gfx1100", "2.4.1+rocm6.1"),
    MAC.format("2.5.1", "14.5", "14.5", "2.5.1"),
    DLL.format(1455, "cudnn_cnn_infer64_8.dll"),
    "export HSA_OVERRIDE_GFX_VERSION=10.3.0\n" + GFX.format("gfx1031", "2.3.1+rocm6.0"),
)


@pytest.mark.parametrize(("cause", "text"), REPORTS)
def test_the_cause_is_found(cause: str, text: str) -> None:
    assert [item.id for item in diagnosed(text).findings if item.role == "primary"] == [cause]


@pytest.mark.parametrize("text", HEALTHY)
def test_what_is_well_or_another_matter_is_no_error(text: str) -> None:
    assert [item.id for item in diagnosed(text).findings if item.severity == "error"] == []


def test_a_sibling_stands_in_for_an_architecture() -> None:
    finding = diagnosed(GFX.format("gfx1032", "2.3.1+rocm6.0")).findings[0]
    assert finding.remedies[0].commands == ("export HSA_OVERRIDE_GFX_VERSION=10.3.0",)
