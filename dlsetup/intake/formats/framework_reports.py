"""What programs say of what they were built for and run on: DeepSpeed, bitsandbytes, OneFlow, TensorRT, NCCL.

torch version .................... 2.2.1+cu121
torch cuda version ............... 12.1
nvcc version ..................... 12.1

PyTorch: 2.6.0+cu124
  CUDA: 12.4
Related packages:
  numpy: 2.2.4
PyTorch settings found: CUDA_VERSION=124, Highest Compute Capability: (8, 9).
CUDA SETUP: Highest compute capability among GPUs detected: 8.6

version: 0.9.0+cu117
git_commit: 381b12c
cmake_build_type: Release

&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=model.onnx
[I] Selected Device: NVIDIA GeForce RTX 3090
[I] Compute Capability: 8.6

box:4021:4021 [0] NCCL INFO cudaDriverVersion 12040
NCCL version 2.21.5+cuda12.4
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact, Weight, observed, shown, told
from dlsetup.intake.packages import installed
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads
from dlsetup.intake.sizes import size_in
from dlsetup.model.machine import Gpu, Toolkit
from dlsetup.model.record import UNKNOWN
from dlsetup.model.versions import ComputeCapability, CudaVersion

_DOTTED = re.compile(
    r"^(torch version|torch cuda version|torch hip version|nvcc version|deepspeed info"
    r"|shared memory \(/dev/shm\) size)"
    r" \.{2,40} (\S.{0,80})$"
)
_VERSION = re.compile(r"\d[\w.+]{0,40}")
_CUDA = re.compile(r"\d{1,2}\.\d{1,2}(?:\.\d{1,3})?")
_BNB = re.compile(r"^(?:PyTorch|  (CUDA|HIP|\w[\w.-]{0,40})): (\d[\w.+]{0,40}|None|N/A)\s*$")
_CAPABILITY = re.compile(
    r"[Hh]ighest [Cc]ompute [Cc]apability(?: among GPUs detected)?: \(?(\d{1,2})(?:, |\.)(\d)\)?"
)
_ONEFLOW = re.compile(r"^version: (\d[\w.+]{0,40})\s*$")
_TRTEXEC = re.compile(r"&&&& RUNNING TensorRT\.trtexec \[TensorRT v(\d{4,6})\]")
_SELECTED = re.compile(r"\[I\] Selected Device: (\S.{1,60}?)\s*$")
_ITS_CAPABILITY = re.compile(r"\[I\] Compute Capability: (\d{1,2}\.\d)\s*$")
_NCCL = re.compile(r"\bNCCL version (\d\.\d{1,2}\.\d{1,2})(?:\+cuda(\d{1,2}\.\d{1,2}))?")
_NCCL_DRIVER = re.compile(r"\bNCCL INFO cudaDriverVersion (\d{5})\b")


@reads("ds_report", "torch cuda version ...", "nvcc version ...", "deepspeed info ...")
def ds_report(page: Page) -> Iterator[Fact]:
    """torch and its CUDA, DeepSpeed, the compiler on the path, the size of /dev/shm."""
    for line in page.lines:
        if found := _DOTTED.match(line.text):
            yield from _dotted(found[1], found[2].strip(), line)


def _dotted(name: str, value: str, line: Line) -> Iterator[Fact]:
    first = value.split(",")[0].strip()
    if name == "torch version":
        yield from installed("torch", first, line)
    elif name == "deepspeed info" and _VERSION.fullmatch(first):
        yield from installed("deepspeed", first, line)
    elif name in ("torch cuda version", "torch hip version"):
        yield observed(f"torch.version.{name.split()[1]}", value, line)
    elif name == "nvcc version" and _CUDA.fullmatch(value):
        toolkit = Toolkit(version=CudaVersion(value), path="", default=True, found_via=line.place)
        yield shown("toolkit", toolkit, line)
    elif name.startswith("shared") and (size := size_in(re.sub(r"\.\d{1,3} ", " ", value))):
        yield shown("system.shm_bytes", size, line)


@reads("python -m bitsandbytes", "BUG REPORT INFORMATION", "PyTorch settings found", "CUDA SETUP: ")
def bitsandbytes(page: Page) -> Iterator[Fact]:
    """The torch that it found with its CUDA, the packages beside it, the newest of the GPUs."""
    torch = related = False
    for line in page.lines:
        if found := _CAPABILITY.search(line.text):
            yield _gpu(f"{found[1]}.{found[2]}", "", line, "bitsandbytes")
        elif line.text == "Related packages:":
            torch, related = False, True
        elif row := _BNB.match(line.text):
            if row[1] is None:
                torch, related = True, False
                yield from installed("torch", row[2], line)
            elif torch and row[1] in ("CUDA", "HIP"):
                value = "None" if row[2] == "N/A" else row[2]
                yield observed(f"torch.version.{row[1].lower()}", value, line)
            elif related:
                yield from installed(row[1], row[2], line)
        elif not line.text.startswith("  "):
            torch = related = False


@reads("oneflow --doctor", "cmake_build_type: ")
def oneflow(page: Page) -> Iterator[Fact]:
    """The release; its local version names the CUDA it was built for."""
    for line in page.lines:
        if found := _ONEFLOW.match(line.text):
            yield from installed("oneflow", found[1], line)


@reads("trtexec", "RUNNING TensorRT.trtexec", "[I] Selected Device: ")
def trtexec(page: Page) -> Iterator[Fact]:
    """The release of TensorRT (`v8601` is 8.6.1, `v100300` is 10.3.0) and the GPU it uses."""
    name = ""
    for line in page.lines:
        if found := _TRTEXEC.search(line.text):
            yield observed("tensorrt.version", _release(int(found[1])), line)
        elif found := _SELECTED.search(line.text):
            name = found[1]
        elif name and (found := _ITS_CAPABILITY.search(line.text)):
            yield _gpu(found[1], name, line, "trtexec")
            name = ""


@reads("NCCL log", "NCCL version ", "cudaDriverVersion ")
def nccl(page: Page) -> Iterator[Fact]:
    """The newest CUDA that the driver knows, and the release of NCCL with the CUDA it was built for."""
    for line in page.lines:
        if found := _NCCL_DRIVER.search(line.text):
            yield told("driver.cuda_ceiling", CudaVersion.from_api(int(found[1])), line)
        if found := _NCCL.search(line.text):
            built = f", built for CUDA {found[2]}" if found[2] else ""
            yield observed("nccl.version", f"{found[1]}{built}", line, weight=Weight.TOLD)


def _release(number: int) -> str:
    """8601 is 8.6.1; from 10 on two digits each stand for the second and the third part."""
    if number >= 10_000:
        return f"{number // 10_000}.{number // 100 % 100}.{number % 100}"
    return f"{number // 1000}.{number // 100 % 10}.{number % 100}"


def _gpu(code: str, name: str, line: Line, program: str) -> Fact:
    capability = ComputeCapability(code)
    gpu = Gpu(vendor="nvidia", name=name or UNKNOWN, compute_capability=capability, found_via=line.place)
    return Fact("gpu", gpu, line.place, Weight.TOLD, "", f"{program} {line.file}")
