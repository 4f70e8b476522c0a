"""Reports of drivers, kernels and GPUs, read and judged whole: the cause, and no false alarm."""

from __future__ import annotations

import pytest
from told_remedies import diagnosed

OLD_DRIVER = (
    "UserWarning: CUDA initialization: The NVIDIA driver on your system is too old (found version {})."
)
MISMATCH = "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 535.183"
NOT_LOADED = (
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest "
    "NVIDIA driver is installed and running."
)
WSL = "$ uname -r\n5.15.153.1-microsoft-standard-WSL2\n"
REFUSED = (
    "NVIDIA GeForce RTX 5070 with CUDA capability sm_120 is not compatible with the current PyTorch "
    "installation.\nThe current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 "
    "sm_80 sm_86 "
    "sm_90.\n"
)
REPORTS = {
    "driver-too-old": (
        OLD_DRIVER.format("11080") + "\n>>> torch.version.cuda\n'12.6'\n",
        "torch 2.3.0a0+ebedce2\ntorch.version.cuda 12.3\n" + OLD_DRIVER.format("11040"),
        "RuntimeError: CUDA error: CUDA driver version is insufficient for CUDA runtime version",
        "PyTorch version: 2.9.1+cu130\nCUDA used to build PyTorch: 13.0\nOS: Ubuntu 22.04.4 LTS (x86_64)\n"
        "Is CUDA available: False\nNvidia driver version: 535.161.08\n"
        "GPU models and configuration: GPU 0: NVIDIA A10\n",
    ),
    "kernel-module-not-loaded": (
        NOT_LOADED + "\n$ uname -r\n6.8.0-49-generic\n$ lspci | grep -i nvidia\n"
        "01:00.0 VGA compatible controller: NVIDIA Corporation AD104 [GeForce RTX 4070] (rev a1)\n",
        NOT_LOADED + "\n$ sudo modprobe nvidia\nmodprobe: FATAL: Module nvidia not found in directory "
        "/lib/modules/6.1.0-28-amd64\n",
    ),
    "nvml-driver-library-mismatch": (
        MISMATCH,
        "Failed to initialize NVML: Driver/library version mismatch\n"
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.171.04  Tue Mar 19 20:30:00 UTC 2024\n"
        "Upgrade: libnvidia-compute-535:amd64 (535.171.04-0ubuntu0.22.04.1, 535.183.01-0ubuntu0.22.04.1)\n",
        "[  812.4] NVRM: API mismatch: the client has the version 470.182.03, but\n"
        "[  812.4] NVRM: this kernel module has the version 470.161.03.  Please\n",
    ),
    "fabric-manager-not-running": (
        "RuntimeError: CUDA error: system not yet initialized\n| 0  NVIDIA H100 80GB HBM3   On  | 0 |\n",
    ),
    "fabric-manager-version-mismatch": (
        "Error 802: system not yet initialized\n"
        "ii  nvidia-fabricmanager-535  535.154.05-1  amd64  Fabric Manager\n"
        "ii  nvidia-utils-535  535.183.01-0ubuntu0.22.04.1  amd64  NVIDIA driver support binaries\n",
    ),
    "driver-state-lost-after-suspend": (
        "RuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment\n"
        "kernel: PM: suspend exit\n",
    ),
    "cuda-visible-devices-hides-gpus": (
        "$ nvidia-smi -L\nGPU 0: NVIDIA A10 (UUID: GPU-00000000-0000-0000-0000-000000000001)\n"
        "$ CUDA_VISIBLE_DEVICES=1 python train.py\nRuntimeError: No CUDA GPUs are available\n",
        'os.environ["CUDA_VISIBLE_DEVICES"] = "3"\nRuntimeError: No CUDA GPUs are available\n',
        "$ echo $CUDA_VISIBLE_DEVICES\n\n$ python a.py\nRuntimeError: No CUDA GPUs are available\n",
    ),
    "wsl1-has-no-gpu": (
        "PS C:\\> wsl -l -v\n  NAME            STATE           VERSION\n* Ubuntu-22.04    Running   "
        "      1\n",
        "$ uname -r\n4.4.0-19041-Microsoft\n" + NOT_LOADED,
    ),
    "wsl-linux-driver-shadows-windows-driver": (
        WSL + "$ dpkg -l | grep nvidia\nii  nvidia-driver-535  535.183.01-0ubuntu0.22.04.1  amd64  driver\n",
        WSL + "$ ldconfig -p | grep libcuda\n\tlibcuda.so.1 (libc6,x86-64) => "
        "/usr/lib/x86_64-linux-gnu/libcuda.so.1\n",
    ),
    "torch-mig-device-count-bug": (
        "$ export CUDA_VISIBLE_DEVICES=MIG-00000000-0000-0000-0000-00000000000b\n>>> torch.__version__\n"
        "'1.13.0+cu117'\n>>> torch.cuda.device_count()\n0\n",
    ),
    "mig-one-instance-per-process": (
        "GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-00000000-0000-0000-0000-000000000001)\n"
        "  MIG 3g.20gb     Device  0: (UUID: MIG-00000000-0000-0000-0000-000000000002)\n"
        "  MIG 3g.20gb     Device  1: (UUID: MIG-00000000-0000-0000-0000-000000000003)\n"
        ">>> torch.cuda.device_count()\n1\n",
    ),
    "p2p-blocked-by-acs": (
        "Training hangs after the first step.\nnode:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] "
        "via P2P/CUMEM\n"
        "\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+\n",
        "It is stuck at init. With NCCL_P2P_DISABLE=1 everything works.\n",
    ),
    "gpu-arch-not-in-wheel": (
        REFUSED,
        "    Found GPU0 Quadro K4000 which is of cuda capability 3.0.\n    PyTorch no longer "
        "supports this GPU "
        "because it is too old.\n",
        ">>> torch.cuda.get_device_name(0)\n'Tesla K40c'\nRuntimeError: CUDA error: no kernel image is "
        "available for execution on the device\n",
        ">>> torch.cuda.get_device_name(0)\n'NVIDIA GeForce RTX 5090'\n>>> torch.cuda.get_arch_list()\n"
        "['sm_50', 'sm_60', 'sm_70', 'sm_75', 'sm_80', 'sm_86', 'sm_90']\n",
    ),
}
HEALTHY = (
    "NVIDIA-SMI 550.54.15   Driver Version: 550.54.15   CUDA Version: 12.4\n"
    "Cuda compilation tools, release 11.5, V11.5.119\n>>> torch.__version__, torch.cuda.is_available()\n"
    "('2.5.1+cu121', True)\n",
    WSL + "| NVIDIA-SMI 550.76   Driver Version: 552.22   CUDA Version: 12.4 |\n"
    "\tlibcuda.so.1 (libc6,x86-64) => /usr/lib/wsl/lib/libcuda.so.1\n",
    "name, driver_version, compute_cap\nNVIDIA RTX A5000, 535.183.01, 8.6\ntorch==2.4.1+cu121\n",
    "$ mokutil --sb-state\nSecureBoot enabled\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  550.120\n",
    "ii  nvidia-fabricmanager-550  550.127.05-1  amd64  x\nii  nvidia-utils-550  "
    "550.127.05-0ubuntu1  amd64  x\n",
    "$ export CUDA_VISIBLE_DEVICES=0\n>>> torch.cuda.is_available()\nTrue\n",
    "NCCL INFO Channel 00 : 0[1000] -> 1[25000] via P2P/IPC\nepoch 3 done in 12 s\n",
)


@pytest.mark.parametrize(
    ("cause", "text"), [(cause, text) for cause, texts in REPORTS.items() for text in texts]
)
def test_the_cause_is_found(cause: str, text: str) -> None:
    findings = diagnosed(text).findings
    assert cause in [item.id for item in findings]
    assert [item.id for item in findings if item.role == "primary"] == [cause]


@pytest.mark.parametrize("text", HEALTHY)
def test_a_healthy_report_comes_out_healthy(text: str) -> None:
    assert [item.id for item in diagnosed(text).findings if item.severity == "error"] == []


def test_dkms_without_headers_contributes_to_a_module_that_is_not_loaded() -> None:
    built = "$ dkms status\nnvidia/535.183.01, 6.5.0-41-generic, x86_64: installed\n"
    text = f"$ uname -r\n6.8.0-49-generic\n{NOT_LOADED}\n{built}"
    found = {item.id: item.role for item in diagnosed(text).findings}
    assert found["kernel-module-not-loaded"] == "primary"
    assert found["dkms-headers-missing"] == "contributing"


def test_an_unknown_error_without_a_suspend_only_may_be_one() -> None:
    diagnosis = diagnosed(
        "RuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment"
    )
    assert [(item.id, item.severity) for item in diagnosis.findings] == [
        ("driver-state-lost-after-suspend", "warning")
    ]
    assert [gap.ask for gap in diagnosis.unknown] == ["journalctl -k | grep -i suspend"]
