"""JAX: the product on the default device. It falls back to the CPU by itself, with a warning at most."""

from __future__ import annotations

import importlib
from typing import Any


def look(left: list[list[float]], right: list[list[float]]) -> dict[str, Any]:
    shared = importlib.import_module("on_jax")
    jax = shared.ready()
    numpy = importlib.import_module("jax.numpy")
    devices = jax.devices()
    kind = shared.kind(jax)
    product = numpy.matmul(numpy.array(left, dtype="float32"), numpy.array(right, dtype="float32"))
    return {
        "version": jax.__version__,
        "devices": [f"{device.platform}:{device.id} {device.device_kind}" for device in devices],
        "device": kind,
        "computed": product.tolist(),
        "remark": _refusal(jax) if kind == "cpu" else "",
    }


def _refusal(jax: Any) -> str:
    try:
        jax.devices("cuda")
    except Exception as error:
        return str(error)
    return ""
