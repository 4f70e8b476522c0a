"""The few environment variables that change which libraries and GPUs a program sees."""

from __future__ import annotations

from dlsetup.model.machine import Variable
from dlsetup.probe.host import Host
from dlsetup.probe.notes import printable

LENGTH_LIMIT = 4000
WATCHED = (
    "CONDA_OVERRIDE_CUDA",
    "CONDA_PREFIX",
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
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_VISIBLE_DEVICES",
    "PYTHONHOME",
    "PYTHONNOUSERSITE",
    "PYTHONPATH",
    "PYTORCH_CUDA_ALLOC_CONF",
    "ROCM_PATH",
    "ROCR_VISIBLE_DEVICES",
    "TF_FORCE_GPU_ALLOW_GROWTH",
    "VIRTUAL_ENV",
    "WSL_DISTRO_NAME",
    "XLA_FLAGS",
    "XLA_PYTHON_CLIENT_PREALLOCATE",
    "ZE_AFFINITY_MASK",
)


def variables(host: Host) -> tuple[Variable, ...]:
    """Those that are set, also to nothing: an empty CUDA_VISIBLE_DEVICES hides every GPU."""
    return tuple(
        Variable(name=name, value=_text(host.environ[name])) for name in WATCHED if name in host.environ
    )


def _text(value: str) -> str:
    """Paths can be long: the limit for other text would cut a search path in the middle."""
    parts = (printable(part) for part in value[:LENGTH_LIMIT].split(":"))
    return ":".join(parts)
