"""Rows of `pip list` that somebody picked out, without the head of the table.

$ pip list | grep -E "torch|nvidia"
nvidia-cudnn-cu11             8.5.0.96
torch                         2.0.1
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact
from dlsetup.intake.packages import installed
from dlsetup.intake.page import Page
from dlsetup.intake.reading import reads

_ROW = re.compile(r"^\s{0,4}([A-Za-z][\w.-]{1,60}) {1,60}(\d{1,4}\.\d{1,6}[\w.+]{0,40})\s*$")
_CONCERNED = re.compile(
    r"(?:torch|jax|tensorflow|keras|tf[-_]|nvidia|cupy|onnx|paddle|mindspore|xformers|flash|triton|ctranslate2"
    r"|bitsandbytes|numpy|vllm|tensorrt|accelerate|transformers|horovod|libtpu|faster|optax|flax)",
    re.IGNORECASE,
)


@reads(
    "rows of pip list",
    "torch",
    "jax",
    "tensorflow",
    "nvidia-",
    "onnx",
    "paddle",
    "mindspore",
    "numpy",
    "cupy",
)
def rows(page: Page) -> Iterator[Fact]:
    """Two columns, a name that concerns GPUs and a version; conda's rows have a third one."""
    for line in page.lines:
        found = _ROW.match(line.text)
        if found and _CONCERNED.match(found[1]):
            yield from installed(found[1], found[2], line)
