"""Which notes each recorded machine has."""

from __future__ import annotations

from pathlib import Path

MACHINES = Path(__file__).parents[2] / "machines"
FOLDERS = sorted(path.parent.name for path in MACHINES.glob("*/machine.json"))
NVIDIA = ("cuda-toolkit", "driver", "container-toolkit")
EXPECTED: dict[str, tuple[str, ...]] = {
    "container-h100": ("cuda-toolkit", "multi-gpu"),
    "linux-aarch64-gh200": NVIDIA,
    "linux-aarch64-jetson-orin": ("container-toolkit", "cuda-toolkit", "jetson"),
    "linux-amd-rx7900xtx": ("rocm",),
    "linux-ascend-910b": ("ascend",),
    "linux-cpu-torch-on-gpu": NVIDIA,
    "linux-driver535-torch-cu130": NVIDIA,
    "linux-mig-a100": (*NVIDIA, "multi-gpu"),
    "linux-mismatch-code18": NVIDIA,
    "linux-module-not-loaded": NVIDIA,
    "linux-no-gpu": (),
    "linux-rtx4090-driver535-torch-cu126": NVIDIA,
    "linux-torch-cu130-jax-cuda12": NVIDIA,
    "linux-two-gpus": (*NVIDIA, "multi-gpu"),
    "linux-v100-cu130": (*NVIDIA, "multi-gpu"),
    "macos-arm64-m2": (),
    "windows-native-rtx3060-tf": ("cuda-toolkit", "driver", "wsl"),
    "wsl2-linux-driver-inside": ("container-toolkit", "cuda-toolkit", "wsl"),
    "wsl2-rtx4070": ("container-toolkit", "cuda-toolkit", "wsl"),
}
KINDS = ("ascend", "container-toolkit", "cuda-toolkit", "driver", "jetson", "multi-gpu", "rocm", "wsl")
