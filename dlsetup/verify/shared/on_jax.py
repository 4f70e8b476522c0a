"""JAX with little memory taken ahead, and what a program tells of where it computes."""

from __future__ import annotations

import importlib
import os
from typing import Any

KINDS = {"gpu": "cuda", "METAL": "mps"}


def ready(*, processors: int = 1) -> Any:
    """JAX itself. `processors`: as how many devices the CPU shows itself."""
    # A check has no business to take three quarters of the GPU's memory.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    if processors > 1:
        flags = os.environ.get("XLA_FLAGS", "")
        os.environ["XLA_FLAGS"] = f"{flags} --xla_force_host_platform_device_count={processors}".strip()
    return importlib.import_module("jax")


def kind(jax: Any) -> str:
    """`cuda`, `rocm`, `tpu`, `mps`, `cpu` …"""
    platform = jax.devices()[0].platform
    return str(KINDS.get(platform, platform))


def told(jax: Any, *evidence: str) -> dict[str, Any]:
    """What was seen, with where, and the most memory of the device that was allocated."""
    statistics = getattr(jax.devices()[0], "memory_stats", lambda: None)() or {}
    return {
        "device": kind(jax),
        "evidence": list(evidence),
        "gpu_peak_bytes": statistics.get("peak_bytes_in_use", 0),
    }
