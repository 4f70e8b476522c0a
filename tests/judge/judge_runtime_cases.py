"""Reports of programs that run: memory, extensions, DLLs, AMD GPUs; one that trips each, and a near miss."""

from __future__ import annotations

from judge_library_cases import reported, said
from judge_machines import dist, machine

from dlsetup.model.machine import Gpu, Machine, System

WINDOWS = System(os="windows", arch="x86_64")
MISSING = r"C:\env\Lib\site-packages\torch\lib\{}"
NEW_ABI = "_ZN3c105ErrorC2ENS_14SourceLocationENSt7__cxx1112basic_stringIcE"
FILE = "/opt/env/flash_attn_2_cuda.so"
TORCH_25 = dist("torch", "2.5.1+cu124", "cu124")
TORCH_27 = dist("torch", "2.7.1+cu126", "cu126")
ROCM = dist("torch", "2.3.1+rocm6.0", "rocm6.0")


def shortage(allocated: str, unused: str) -> Machine:
    sizes = {"tried": "2.00 GiB", "total": "24.00 GiB", "free": "100.00 MiB"}
    return reported(machine(), said("cuda-oom", **sizes, allocated=allocated, unused=unused))


def amd(arch: str) -> Machine:
    return machine(ROCM, gpus=(Gpu(vendor="amd", arch=arch),), driver=None)


RUNTIME_CASES: dict[str, tuple[Machine, Machine]] = {
    "cuda-oom-capacity": (shortage("22.10 GiB", "210.00 MiB"), shortage("12.10 GiB", "9.60 GiB")),
    "cuda-oom-fragmentation": (shortage("12.10 GiB", "9.60 GiB"), shortage("22.10 GiB", "210.00 MiB")),
    "extension-cxx11-abi-mismatch": (
        reported(machine(TORCH_25), said("undefined-torch-symbol", path=FILE, symbol=NEW_ABI)),
        reported(machine(TORCH_27), said("undefined-torch-symbol", path=FILE, symbol=NEW_ABI)),
    ),
    "extension-built-for-other-torch": (
        reported(machine(), said("built-for-other-torch", built="2.1.0+cu121", have="2.2.2+cu118")),
        reported(machine(), said("built-for-other-torch", built="2.1.0+cu121", have="2.1.0+cpu")),
    ),
    "windows-runtime-dll-missing": (
        reported(machine(system=WINDOWS), said("winerror-126", path=MISSING.format("fbgemm.dll"))),
        reported(machine(system=WINDOWS), said("winerror-126", path=MISSING.format("cudnn64_8.dll"))),
    ),
    "package-has-no-windows-gpu-build": (
        reported(machine(dist("bitsandbytes", "0.41.1"), system=WINDOWS), said("bitsandbytes-cpu-library")),
        reported(machine(dist("bitsandbytes", "0.41.1")), said("bitsandbytes-cpu-library")),
    ),
    "rocm-gfx-not-in-build": (amd("gfx1032"), amd("gfx1030")),
}
