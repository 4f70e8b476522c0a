"""The few environment variables that change which libraries and GPUs a program sees."""

from __future__ import annotations

from dlsetup.model.machine import Variable
from dlsetup.model.watched import WATCHED
from dlsetup.probe.host import Host
from dlsetup.probe.notes import printable

LENGTH_LIMIT = 4000
READ = (
    *WATCHED,
    "CONDA_PREFIX",
    "NVIDIA_DRIVER_CAPABILITIES",
    "PYTHONHOME",
    "PYTHONNOUSERSITE",
    "ROCM_PATH",
    "ROCR_VISIBLE_DEVICES",
    "TF_FORCE_GPU_ALLOW_GROWTH",
    "VIRTUAL_ENV",
    "WSL_DISTRO_NAME",
    "XLA_PYTHON_CLIENT_PREALLOCATE",
)


def variables(host: Host) -> tuple[Variable, ...]:
    """Those that are set, also to nothing: an empty CUDA_VISIBLE_DEVICES hides every GPU."""
    return tuple(
        Variable(name=name, value=_text(host.environ[name])) for name in sorted(READ) if name in host.environ
    )


def _text(value: str) -> str:
    """Paths can be long: the limit for other text would cut a search path in the middle."""
    parts = (printable(part) for part in value[:LENGTH_LIMIT].split(":"))
    return ":".join(parts)
