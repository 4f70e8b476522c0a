"""`nvidia-smi` in its other forms: `--query-gpu=… --format=csv`, `-q`, `-q -x`.

name, driver_version, compute_cap, memory.total [MiB]
NVIDIA L4, 550.90.07, 8.9, 23034 MiB

==============NVSMI LOG==============
Driver Version                            : 550.90.07
CUDA Version                              : 12.4
GPU 00000000:01:00.0
    Product Name                          : NVIDIA L4
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

from msgspec.structs import replace

from dlsetup.intake.fact import Fact, shown
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads
from dlsetup.model.machine import Gpu
from dlsetup.model.versions import ComputeCapability, CudaVersion, DriverRelease

_COLUMN = re.compile(
    r"(?:name|gpu_name|driver_version|compute_cap|memory\.total|mig\.mode\.current|index|uuid|count)\b"
)
_HEAD = re.compile(r"[a-z][a-z_]{1,40}(?:\.[a-z_]{1,40}){0,4}(?: \[[^\]]{1,12}\])?")
"""Any column: `memory.used [MiB]`."""
_ASKED = re.compile(r"--query-gpu[= ]([a-z_.,\[\] ]{3,200}?)(?= --|\s*$)")
_RELEASE = re.compile(r"\d{3}\.\d{2,3}(?:\.\d{2})?")
_FIELD = re.compile(r"^\s{0,12}([A-Z][\w .]{2,40}?)\s{1,60}: (\S.{0,80})$")
_XML = re.compile(r"<(driver_version|cuda_version|product_name|current_mig|total)>([^<]{1,80})</\1>")
MOST = 64
"""GPUs of one listing."""


@reads("nvidia-smi --query-gpu", "driver_version", "compute_cap", "memory.total")
def query(page: Page) -> Iterator[Fact]:
    """Rows below a line of column names, or below the command where `noheader` left them out."""
    columns: list[str] = []
    numbers = count(1)
    group = f"nvidia-smi query {page.file}"
    for line in page.lines:
        words = [word.strip() for word in line.text.split(",")]
        asked = _ASKED.search(line.text)
        if asked:
            columns = [word.strip() for word in asked[1].split(",")]
        elif all(_HEAD.fullmatch(word) for word in words) and any(map(_COLUMN.match, words)):
            columns = [word.partition(" ")[0] for word in words]
        elif columns and len(words) == len(columns) and next(numbers) <= MOST:
            yield from _row(dict(zip(columns, words, strict=True)), line, group)
        else:
            columns = []


def _row(values: dict[str, str], line: Line, group: str) -> Iterator[Fact]:
    driver, name = values.get("driver_version", ""), values.get("name", values.get("gpu_name", ""))
    if _RELEASE.fullmatch(driver):
        yield shown("driver.module", DriverRelease(driver), line)
    if name and not name.startswith("["):
        gpu = Gpu(vendor="nvidia", name=name[:80], found_via=line.place)
        gpu = _with_capability(gpu, values.get("compute_cap", ""))
        yield shown("gpu", _with_memory(gpu, values.get("memory.total", "")), line, group=group)


@reads("nvidia-smi -q", "NVSMI LOG", "Product Name")
def log(page: Page) -> Iterator[Fact]:
    """Driver, its CUDA and the name of each GPU; memory is that of the frame buffer."""
    gpus: list[tuple[Gpu, Line]] = []
    buffer = False
    for line in page.lines:
        found = _FIELD.match(line.text)
        if not found:
            buffer = line.text.strip() == "FB Memory Usage"
        elif found[1] == "Product Name":
            gpus.append((Gpu(vendor="nvidia", name=found[2].strip(), found_via=line.place), line))
        elif found[1] == "Total" and buffer and gpus:
            gpus[-1] = (_with_memory(gpus[-1][0], found[2]), gpus[-1][1])
        else:
            yield from _head(found[1], found[2], line)
    yield from (shown("gpu", gpu, line, group=f"nvidia-smi -q {page.file}") for gpu, line in gpus[:MOST])


@reads("nvidia-smi -q -x", "<nvidia_smi_log>", "<product_name>")
def xml(page: Page) -> Iterator[Fact]:
    """The same as XML, of which no parser of XML is asked: it may be cut short."""
    gpus: list[tuple[Gpu, Line]] = []
    buffer = False
    for line in page.lines:
        buffer = "<fb_memory_usage>" in line.text or (buffer and "</fb_memory_usage>" not in line.text)
        for name, value in _XML.findall(line.text):
            if name == "product_name":
                gpus.append((Gpu(vendor="nvidia", name=value.strip(), found_via=line.place), line))
            elif name == "total" and buffer and gpus:
                gpus[-1] = (_with_memory(gpus[-1][0], value), gpus[-1][1])
            else:
                yield from _head(name.replace("_", " "), value, line)
    yield from (shown("gpu", gpu, line, group=f"nvidia-smi -x {page.file}") for gpu, line in gpus[:MOST])


def _head(name: str, value: str, line: Line) -> Iterator[Fact]:
    name, value = name.lower(), value.strip()
    if name == "driver version" and _RELEASE.fullmatch(value):
        yield shown("driver.module", DriverRelease(value), line)
    elif name == "cuda version" and re.fullmatch(r"\d{1,2}\.\d{1,2}", value):
        yield shown("driver.cuda_ceiling", CudaVersion(value), line)


def _with_capability(gpu: Gpu, text: str) -> Gpu:
    found = re.fullmatch(r"\d{1,2}\.\d", text)
    return replace(gpu, compute_capability=ComputeCapability(text)) if found else gpu


def _with_memory(gpu: Gpu, text: str) -> Gpu:
    found = re.fullmatch(r"(\d{1,9}) ?(?:MiB)?", text.strip())
    return replace(gpu, memory_bytes=int(found[1]) << 20) if found else gpu
