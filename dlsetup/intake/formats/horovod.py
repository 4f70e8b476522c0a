"""`horovodrun --check-build`.

Horovod v0.28.1:

Available Frameworks:
    [X] TensorFlow
    [ ] MXNet
Available Tensor Operations:
    [X] NCCL
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact, observed
from dlsetup.intake.packages import installed
from dlsetup.intake.page import Page
from dlsetup.intake.reading import reads

_RELEASE = re.compile(r"^\s{0,4}Horovod v(\d[\w.]{0,20}):?\s*$")
_HEAD = re.compile(r"^\s{0,4}Available (Frameworks|Controllers|Tensor Operations):\s*$")
_ROW = re.compile(r"^\s{1,8}\[([X ])\] ([\w +-]{2,40}?)\s*$")


@reads("horovodrun --check-build", "Available Tensor Operations:", "Available Frameworks:")
def check_build(page: Page) -> Iterator[Fact]:
    """The release, and what it was built for: `horovod.tensor_operations.NCCL` is `True`."""
    part = ""
    for line in page.lines:
        if found := _RELEASE.match(line.text):
            yield from installed("horovod", found[1], line)
        elif found := _HEAD.match(line.text):
            part = found[1].lower().replace(" ", "_")
        elif part and (found := _ROW.match(line.text)):
            yield observed(f"horovod.{part}.{found[2]}", str(found[1] == "X"), line)
