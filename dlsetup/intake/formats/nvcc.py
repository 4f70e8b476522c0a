"""`nvcc --version`.

nvcc: NVIDIA (R) Cuda compiler driver
Copyright (c) 2005-2023 NVIDIA Corporation
Built on Tue_Aug_15_22:02:13_PDT_2023
Cuda compilation tools, release 12.2, V12.2.140
Build cuda_12.2.r12.2/compiler.33191640_0
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact, shown
from dlsetup.intake.page import Page
from dlsetup.intake.reading import reads
from dlsetup.model.machine import Toolkit
from dlsetup.model.versions import CudaVersion

_RELEASE = re.compile(
    r"Cuda compilation tools, release (\d{1,2}\.\d{1,2})(?:, V(\d{1,2}\.\d{1,2}\.\d{1,4}))?"
)
_BUILD = re.compile(r"\bBuild cuda_(\d{1,2}\.\d{1,2})\.r")


@reads("nvcc --version", "Cuda compilation tools", "Build cuda_")
def nvcc(page: Page) -> Iterator[Fact]:
    """The toolkit that `nvcc` on PATH belongs to; `ptxas --version` prints the same line of its own."""
    found: str | None = None
    for line in page.lines:
        release = _RELEASE.search(line.text)
        build = _BUILD.search(line.text)
        version = (release[2] or release[1]) if release else build[1] if build else None
        if version and (found is None or not build):
            found = version
            toolkit = Toolkit(version=CudaVersion(version), path="", default=True, found_via=line.place)
            yield shown("toolkit", toolkit, line)
