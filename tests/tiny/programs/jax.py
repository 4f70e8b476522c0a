"""A jax that multiplies matrices in Python; it has a GPU where its plugin lies beside it."""

import importlib
import importlib.util
import os

importlib.import_module("jaxlib")
importlib.import_module("numpy")

__version__ = "@version@"


class Device:
    id = 0

    def __init__(self, platform):
        self.platform = platform
        self.device_kind = platform


def devices(backend=None):
    plugged = importlib.util.find_spec("jax_cuda12_plugin") and int(os.environ.get("TINY_GPUS", "0"))
    if backend is not None and not plugged:
        raise RuntimeError(f"Unknown backend {backend}")
    return [Device("gpu" if plugged else "cpu")]
