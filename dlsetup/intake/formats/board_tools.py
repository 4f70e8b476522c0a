"""What tools of boards and of Intel's GPUs print: `jetson_release`, `xpu-smi discovery`.

Model: NVIDIA Jetson Orin Nano Developer Kit - Jetpack 5.1.2 [L4T 35.4.1]
Platform:
 - Distribution: Ubuntu 20.04 focal
 - Release: 5.10.120-tegra
Libraries:
 - CUDA: 11.4.315
 - cuDNN: 8.6.0.166

   * CUDA: 10.2.89
   * cuDNN: 8.0.0.180

| 0         | Device Name: Intel(R) Data Center GPU Flex 170            |
|           | PCI BDF Address: 0000:4d:00.0                             |
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact, observed, shown
from dlsetup.intake.packages import cudnn
from dlsetup.intake.page import Page
from dlsetup.intake.reading import reads
from dlsetup.model.machine import Gpu, Toolkit
from dlsetup.model.versions import CudaVersion, OsRelease

_L4T = re.compile(r"^\s{0,8}[-*] L4T: (\d{2}\.\d{1,2}(?:\.\d{1,2})?)\s*$")
_PART = re.compile(
    r"^\s{0,8}[-*] (CUDA|cuDNN|TensorRT|Release|Distribution): (?:Ubuntu )?"
    r"(\d{1,2}\.\d[\w.-]{0,30}?)(?: [\w ]{1,30})?\s*$"
)
_NUMBERS = re.compile(r"\d{1,2}(?:\.\d{1,4}){1,3}")
_DEVICE = re.compile(r"\bDevice Name: {1,4}(Intel\S{0,4} \S.{1,60}?)\s{1,60}\|?\s*$")
MOST = 64


@reads("jetson_release", "jetson-stats", "jetson_stats", "jetson_release")
def jetson_release(page: Page) -> Iterator[Fact]:
    """The kernel, and the libraries that came with JetPack."""
    for line in page.lines:
        if found := _L4T.match(line.text):
            yield observed("tegra.release", found[1], line)
        part = _PART.match(line.text)
        if part is None:
            continue
        name, version = part[1], part[2]
        if name == "Release" and "tegra" in version:
            yield shown("system.kernel", version, line)
            yield shown("system.os", "linux", line)
        elif not _NUMBERS.fullmatch(version):
            continue
        elif name == "Distribution":
            yield shown("system.name", f"Ubuntu {version}", line)
            yield shown("system.release", OsRelease(version), line)
        elif name == "CUDA":
            toolkit = Toolkit(version=CudaVersion(version), path="", default=True, found_via=line.place)
            yield shown("toolkit", toolkit, line)
        elif name == "cuDNN":
            yield shown("library", cudnn(version), line)
        else:
            yield observed("tensorrt.version", version, line)


@reads("xpu-smi discovery", "Device Name: ")
def xpu_smi(page: Page) -> Iterator[Fact]:
    """Each GPU of Intel with its name."""
    count = 0
    for line in page.lines:
        found = _DEVICE.search(f"{line.text} ")
        if found and count < MOST:
            count += 1
            name = re.sub(r"\((?:R|TM)\)", "", found[1])
            gpu = Gpu(vendor="intel", name=name, compute_capability=None, found_via=line.place)
            yield shown("gpu", gpu, line, group=f"xpu-smi {page.file}")
