"""The table of `nvidia-smi` in all layouts, and `nvidia-smi -L`.

| NVIDIA-SMI 550.163.01             Driver Version: 550.163.01     CUDA Version: 12.4     |
|   0  Tesla T4                      Off  |   00000000:01:00.0 Off |                    0 |
| N/A   41C    P8             12W /  250W |       1MiB /  15360MiB |      0%      Default |
|                                         |                        |              Enabled |

GPU 0: NVIDIA A10 (UUID: GPU-00000000-0000-0000-0000-000000000001)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from dlsetup.intake.fact import Fact, shown
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads
from dlsetup.model.machine import Gpu
from dlsetup.model.record import UNKNOWN
from dlsetup.model.versions import CudaVersion, DriverRelease

_DRIVER = re.compile(r"(?:Driver|KMD) Version ?: {0,8}(\d{3}\.\d{2,3}(?:\.\d{2})?)\b")
_CUDA = re.compile(r"CUDA (?:UMD )?Version ?: {0,8}(\d{1,2}\.\d{1,2})\b")
_GPU = re.compile(
    r"^\W{0,4}\|\s{1,4}(\d{1,3})\s{1,3}(\S.{0,40}?)\s{1,30}(?:On|Off|N/A|WDDM|TCC|MCDM|ERR!)\s{0,6}\|"
)
_MEMORY = re.compile(r"\|\s{0,14}[\d,]{1,9} ?MiB ?/ {0,8}(\d{1,9}) ?MiB ?\|")
_MIG = re.compile(r"\|\s{1,40}(Enabled|Disabled)\*? {1,3}\|\s*$")
_LISTED = re.compile(r"\bGPU (\d{1,3}): (\S.{0,60}?) \(UUID: GPU")
_INSTANCE = re.compile(r"^\s{1,8}MIG \S{1,20}\s{1,30}Device\s{1,4}\d{1,3}: \(UUID: MIG")
_CUT = "..."


@reads("nvidia-smi", "Driver Version", "KMD Version", "NVIDIA-SMI")
def table(page: Page) -> Iterator[Fact]:
    """Driver, the newest CUDA it knows, and its GPUs: each once, however often the table is printed."""
    gpus: dict[int, tuple[Gpu, Line]] = {}
    number = -1
    for line in page.lines:
        yield from _banner(line)
        row = _GPU.match(line.text)
        if row:
            number = int(row[1])
            gpus[number] = (_gpu(row[2], line), line)
        elif number in gpus:
            gpu, first = gpus[number]
            memory, mig = _MEMORY.search(line.text), _MIG.search(line.text)
            if memory:
                gpus[number] = (replace(gpu, memory_bytes=int(memory[1]) << 20), first)
            elif mig:
                gpus[number] = (replace(gpu, mig=mig[1] == "Enabled"), first)
    for _, (gpu, line) in sorted(gpus.items()):
        yield shown("gpu", gpu, line, group=f"nvidia-smi {page.file}")


@reads("nvidia-smi -L", "(UUID: GPU")
def listed(page: Page) -> Iterator[Fact]:
    """Each GPU once: a list that is printed twice is the same list."""
    found: dict[int, tuple[Gpu, Line]] = {}
    number = -1
    for line in page.lines:
        row = _LISTED.search(line.text)
        if row:
            number = int(row[1])
            found[number] = (_gpu(row[2], line), line)
        elif number in found and _INSTANCE.match(line.text):
            gpu, first = found[number]
            count = gpu.mig_instances + 1 if isinstance(gpu.mig_instances, int) else 1
            found[number] = (replace(gpu, mig=True, mig_instances=count), first)
    for _, (gpu, line) in sorted(found.items()):
        yield shown("gpu", gpu, line, group=f"nvidia-smi -L {page.file}")


def _banner(line: Line) -> Iterator[Fact]:
    driver, cuda = _DRIVER.search(line.text), _CUDA.search(line.text)
    if driver:
        yield shown("driver.module", DriverRelease(driver[1]), line)
    if cuda and (driver or "nvidia-smi" in line.text.lower()):
        yield shown("driver.cuda_ceiling", CudaVersion(cuda[1]), line)


def _gpu(name: str, line: Line) -> Gpu:
    """Tables cut names short: `NVIDIA GeForce ...` tells the maker alone."""
    cut = name.endswith(_CUT)
    return Gpu(vendor="nvidia", name=UNKNOWN if cut else name, found_via=line.place)
