"""What a version or a build string says of the accelerator that something was built for."""

from __future__ import annotations

import re

from packaging.version import Version

from dlsetup.model.record import UNKNOWN, Unknown

_WORDS = re.compile(r"(cpu|cu\d{2,3}|rocm\d+(?:\.\d+)*|xpu)(?![a-z0-9])")
_CONDA_CUDA = re.compile(r"(?:^|_)cuda_?(\d{1,2})\.?(\d)")
_CONDA_CPU = re.compile(r"(?:^|_)cpu(?:_|$)")


def local_variant(version: Version) -> str | Unknown:
    """`2.9.1+cu128` is `cu128`."""
    found = _WORDS.match(version.local or "")
    return found[1] if found else UNKNOWN


def conda_variant(build: str) -> str | Unknown:
    """`py3.11_cuda12.1_cudnn8.9.2_0`, `cuda126_py312h1234567_200`, `cpu_generic_py311h…`."""
    cuda = _CONDA_CUDA.search(build)
    if cuda:
        return f"cu{cuda[1]}{cuda[2]}"
    return "cpu" if _CONDA_CPU.search(build) else UNKNOWN
