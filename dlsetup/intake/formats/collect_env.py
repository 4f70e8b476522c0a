"""`python -m torch.utils.collect_env`, of all generations.

PyTorch version: 2.6.0+cu124
CUDA used to build PyTorch: 12.4
OS: Ubuntu 22.04.4 LTS (x86_64)
Libc version: glibc-2.35
Python version: 3.11.9 (main, Apr  6 2024, 17:59:24) [GCC 11.4.0] (64-bit runtime)
Python platform: Linux-6.5.0-35-generic-x86_64-with-glibc2.35
Is CUDA available: True
CUDA runtime version: 12.2.140
GPU models and configuration: GPU 0: NVIDIA GeForce RTX 4090
Nvidia driver version: 550.90.07
[pip3] torch==2.6.0
[conda] pytorch                   2.6.0        cuda126_mkl_py312_h30b5a27_300    conda-forge
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.version import Version

from dlsetup.intake.fact import Fact, observed, shown
from dlsetup.intake.packages import from_conda, from_pip, version_in
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads
from dlsetup.model.machine import Distribution, Gpu, Toolkit
from dlsetup.model.processors import processor
from dlsetup.model.record import UNKNOWN
from dlsetup.model.variants import local_variant
from dlsetup.model.versions import CudaVersion, DriverRelease, LibcVersion, OsRelease

_FIELD = re.compile(r"^\W{0,4}([A-Z][\w /]{1,40}?) ?: ?(.{0,300})$")
_GPU = re.compile(r"GPU (\d{1,3}): ([^\n]{1,80}?)(?= GPU \d|$)")
_PIP = re.compile(r"^\W{0,4}\[pip\d?\] ([\w.-]{1,80})==(\S{1,50})\s*$")
_CONDA = re.compile(r"^\W{0,4}\[conda\] ([\w.-]{1,80})\s+(\S{1,50})\s+(\S{1,80})(?:\s+(\S{1,80}))?\s*$")
_SYSTEM = re.compile(r"(.{2,60}?) ?\((x86_64|aarch64|arm64|AMD64|i386)\)")
_PLATFORM = re.compile(r"^(Linux|macOS|Windows)-([\w.+-]{1,120})$")


@reads("collect_env", "CUDA used to build", "Is CUDA available", "Versions of relevant libraries")
def collect_env(page: Page) -> Iterator[Fact]:
    """System, driver, GPUs and Python; torch as it is imported."""
    gpus = False
    for line in page.lines:
        found = _FIELD.match(line.text)
        gpus = bool(found and found[1] == "GPU models and configuration") or (
            gpus and bool(_GPU.search(line.text))
        )
        if gpus:
            names = _GPU.findall(line.text)
            yield from (
                shown("gpu", _gpu(name, line), line, group=f"collect_env {page.file}") for _, name in names
            )
        elif found and found[2].strip():
            yield from _field(found[1], found[2].strip(), line)
    yield from _torch(page)


@reads("collect_env's packages", "[pip", "[conda]")
def packages(page: Page) -> Iterator[Fact]:
    """What pip and conda list of the libraries that matter to torch."""
    for line in page.lines:
        pip, conda = _PIP.match(line.text), _CONDA.match(line.text)
        item: Distribution | None = None
        if pip:
            item = from_pip(pip[1], pip[2], line)
        elif conda:
            item = from_conda(conda[1], conda[2], line, build=conda[3], channel=conda[4] or "")
        if item:
            yield shown("distribution", item, line)


def _field(name: str, value: str, line: Line) -> Iterator[Fact]:
    if name == "Nvidia driver version" and (found := re.match(r"\d{3}\.\d{2,3}(\.\d{2})?", value)):
        yield shown("driver.module", DriverRelease(found[0]), line)
    elif name == "CUDA runtime version" and (found := re.match(r"\d{1,2}\.\d{1,2}(\.\d{1,4})?", value)):
        toolkit = Toolkit(version=CudaVersion(found[0]), path="", default=True, found_via=line.place)
        yield shown("toolkit", toolkit, line)
    elif name == "Libc version" and (found := re.match(r"glibc-(\d\.\d{1,3})", value)):
        yield shown("libc.version", LibcVersion(found[1]), line)
    elif name == "OS":
        yield from _system(value, line)
    elif name == "Python version" and (found := re.match(r"\d\.\d{1,2}(\.\d{1,2})?", value)):
        yield shown("environment.python", Version(found[0]), line)
        if "conda" in value.lower():
            yield shown("environment.kind", "conda", line)
    elif name == "Python platform":
        yield from _platform(value, line)
    elif name == "Is CUDA available":
        seen = "True" if value in ("True", "Yes") else "False"
        yield observed("torch.cuda.is_available", seen, line)
    elif name == "CUDA used to build PyTorch":
        yield observed("torch.version.cuda", value[:80] if re.match(r"\d", value) else "None", line)
    elif name == "ROCM used to build PyTorch" and re.match(r"\d", value):
        yield observed("torch.version.hip", value[:80], line)
    elif name == "PyTorch version" and re.match(r"\d", value):
        yield observed("torch.__version__", value[:80], line)


def _system(value: str, line: Line) -> Iterator[Fact]:
    """`Ubuntu 22.04.4 LTS (x86_64)`, `macOS 14.5 (arm64)`, `Microsoft Windows 11 Pro`."""
    found = _SYSTEM.match(value)
    name = found[1] if found else value
    lower = name.lower()
    os = "windows" if "windows" in lower else "macos" if "macos" in lower or "mac os" in lower else "linux"
    yield shown("system.os", os, line)
    yield shown("system.name", name[:80], line)
    release = re.search(r"\d{1,5}(\.\d{1,5}){0,2}", name)
    if release:
        yield shown("system.release", OsRelease(release[0]), line)
    if found and os != "macos":
        # On a Mac it is the interpreter's, which may run through Rosetta.
        yield shown("system.arch", _processor(found[2]), line)
    elif found:
        yield shown("environment.arch", _processor(found[2]), line)


def _processor(word: str) -> str:
    """A Mac's Python for Intel calls it `i386`, whatever its width."""
    return "x86_64" if word == "i386" else processor(word)


def _platform(value: str, line: Line) -> Iterator[Fact]:
    """`Linux-6.8.0-60-generic-x86_64-with-glibc2.39`, `macOS-10.16-x86_64-i386-64bit`."""
    found = _PLATFORM.match(value)
    if not found:
        return
    os, rest = found[1].lower(), found[2]
    yield shown("system.os", os, line)
    arch = re.search(r"x86_64|aarch64|arm64|AMD64", rest)
    if arch and os == "macos":
        yield shown("environment.arch", processor(arch[0]), line)
        if arch[0] == "arm64":
            yield shown("system.arch", "aarch64", line)
    elif arch:
        yield shown("system.arch", processor(arch[0]), line)
    if os == "linux":
        kernel = re.split(r"-(?:x86_64|aarch64)", rest)[0]
        yield shown("system.kernel", kernel[:80], line)
        libc = re.search(r"glibc(\d\.\d{1,3})", rest)
        if libc:
            yield shown("libc.version", LibcVersion(libc[1]), line)


def _gpu(name: str, line: Line) -> Gpu:
    return Gpu(vendor="nvidia", name=name.strip() or UNKNOWN, found_via=line.place)


def _torch(page: Page) -> Iterator[Fact]:
    """torch as it is imported, built for what it says of itself."""
    values: dict[str, tuple[str, Line]] = {}
    for line in page.lines:
        found = _FIELD.match(line.text)
        if found:
            values.setdefault(found[1], (found[2].strip(), line))
    if "PyTorch version" not in values:
        return
    version, line = values["PyTorch version"]
    read = version_in(version)
    if read is None:
        return
    nothing = ("", line)
    cuda = re.match(r"(\d{1,2})\.(\d)", values.get("CUDA used to build PyTorch", nothing)[0])
    rocm = re.match(r"(\d{1,2}\.\d)", values.get("ROCM used to build PyTorch", nothing)[0])
    variant = local_variant(read)
    if isinstance(variant, str):
        via = "local version"
    else:
        via = "CUDA used to build PyTorch"
        variant = f"cu{cuda[1]}{cuda[2]}" if cuda else f"rocm{rocm[1]}" if rocm else "cpu"
    imported = Distribution(
        name="torch", version=read, variant=variant, variant_via=via, found_via=line.place
    )
    yield shown("distribution", imported, line)
