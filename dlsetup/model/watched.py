"""Environment variables that change which libraries and GPUs a program sees."""

from __future__ import annotations

WATCHED = (
    "CONDA_OVERRIDE_CUDA",
    "CUDA_DEVICE_ORDER",
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_VISIBLE_DEVICES",
    "DYLD_LIBRARY_PATH",
    "HIP_VISIBLE_DEVICES",
    "HSA_OVERRIDE_GFX_VERSION",
    "JAX_PLATFORMS",
    "JAX_PLATFORM_NAME",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "NVIDIA_VISIBLE_DEVICES",
    "PYTHONPATH",
    "PYTORCH_CUDA_ALLOC_CONF",
    "XLA_FLAGS",
    "ZE_AFFINITY_MASK",
)
"""Those that count wherever they are seen: on a machine, and in what somebody pastes."""
