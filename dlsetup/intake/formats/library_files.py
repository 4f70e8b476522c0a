"""Files of CUDA libraries, as `ls`, `find`, `ldconfig -p`, `ldd`, `lsof` and the loader's trace show them.

/opt/conda/envs/tf/lib/libcudnn.so.8.1.0
lrwxrwxrwx 1 root root 17 May 2 2023 libcudnn.so.8 -> libcudnn.so.8.9.2
libcudart.so.12 => /usr/local/cuda/lib64/libcudart.so.12 (0x00007f0d)
      4021: calling init: /usr/lib/x86_64-linux-gnu/libcudnn_ops.so.9
#define CUDNN_MAJOR 8
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import PurePosixPath

from msgspec.structs import replace
from packaging.version import Version

from dlsetup.intake.fact import Fact, in_words, observed, shown
from dlsetup.intake.packages import cudnn
from dlsetup.intake.page import Page
from dlsetup.intake.reading import reads
from dlsetup.model.machine import Library, Owner, SystemPackage, Toolkit
from dlsetup.model.record import UNKNOWN
from dlsetup.model.versions import CudaVersion

_KNOWN = "cudnn|cudart|cublas|cublasLt|cufft|cusolver|cusparse|nvJitLink|nvrtc|nccl|cupti"
_FILE = re.compile(
    rf"(?<=/)(?P<name>lib(?P<library>{_KNOWN})(?P<part>_\w{{2,30}})?\.so)"
    r"\.(?P<version>\d{1,3}(?:\.\d{1,4}){0,3})(?![\w.]*:? cannot open)"
)
_LOADED = re.compile(
    r"calling init: |\b[0-9a-f]{8,16}-[0-9a-f]{8,16} |\(0x[0-9a-f]{6,16}\)"
    r"|^\W{0,4}loaded: /|\bmem\s+REG\b|0x[0-9a-f]{8,16}\s+0x"
)
LONGEST_PATH = 400
MOST = 4
"""Files that one line names."""
_HEADER = re.compile(
    r"^\W{0,3}(?:#\s?define|.{0,80}:#define)\s+CUDNN_(MAJOR|MINOR|PATCHLEVEL)\s+(\d{1,2})\s*$"
)
_WORDS = re.compile(
    r"\bcuDNN(?: version| v)?[ :=]{0,3}(\d{1,2}\.\d{1,2}(?:\.\d{1,2}){0,2})(?:_cuda\d{1,2}\b)?", re.IGNORECASE
)
_OF_A_BUILD = re.compile(r"compiled with|built|requir|needs|supports|loaded runtime|>=", re.IGNORECASE)
_TOOLKIT = re.compile(
    r"\bCUDA(?: toolkit)?(?:[ :=]{1,3}(\d{1,2}\.\d{1,2}\.\d{1,3})|(\d{1,2}\.\d))\b(?!\))", re.IGNORECASE
)
_CANN = re.compile(
    r"\b(Ascend-cann-(?:toolkit|nnae|nnrt)|CANN)[ :=_-]{1,3}v?(\d{1,2}\.\d{1,2}(?:\.(?:RC)?\d{1,3}){0,2})",
    re.IGNORECASE,
)


@reads("files of CUDA libraries", "libcu", "libnv", "libnccl")
def files(page: Page) -> Iterator[Fact]:
    """Each copy with its folder, and those that a process has loaded."""
    for line in page.lines:
        if ".so." not in line.text or "error" in line.text.lower():
            continue
        for found in islice(_FILE.finditer(line.text), MOST):
            path = f"{_folder(line.text[: found.start()])}{found[0]}"
            if path.startswith("/"):
                yield shown("library", _library(found, path), line)
                if _LOADED.search(line.text):
                    yield observed("loaded.library", path[:300], line)


@reads("cudnn_version.h", "CUDNN_MAJOR")
def header(page: Page) -> Iterator[Fact]:
    """The version in the header of cuDNN, which is that of the copy it was installed with."""
    numbers: list[str] = []
    for line in page.lines:
        found = _HEADER.match(line.text)
        if found and (found[1] == "MAJOR") == (not numbers):
            numbers.append(found[2])
        if len(numbers) == 3:
            yield shown("library", cudnn(".".join(numbers), "cudnn_version.h"), line)
            numbers = []


@reads("versions of CUDA libraries in words", "udnn", "uDNN", "UDNN", "CUDA", "cuda", "CANN", "cann")
def words(page: Page) -> Iterator[Fact]:
    """`CUDA 11.2.152, cuDNN 8.1.1`: a toolkit has three numbers, the ceiling of a driver has two."""
    for line in page.lines:
        if len(line.text) > 300:
            continue
        if (found := _WORDS.search(line.text)) and not _OF_A_BUILD.search(line.text):
            yield in_words("library", cudnn(found[1]), line)
        if "nvidia-smi" not in line.text.lower() and (found := _TOOLKIT.search(line.text)):
            version = CudaVersion(found[1] or found[2])
            toolkit = Toolkit(version=version, path="", default=True, found_via=line.place)
            yield in_words("toolkit", toolkit, line)
        for name, version in _CANN.findall(line.text):
            package = SystemPackage(name=name.lower(), version=version, found_via=line.place)
            yield in_words("package", package, line)


def library_at(path: str, owner: Owner) -> Library | None:
    """The CUDA library of that path, which belongs to `owner`; None where it is none."""
    found = _FILE.search(path)
    return replace(_library(found, path), owner=owner) if found and path.startswith("/") else None


def _folder(before: str) -> str:
    """The path that ends there; what stands before it is no letter of one."""
    return re.split(r"[^\w.+@%~$/-]", before[-LONGEST_PATH:])[-1]


def _library(found: re.Match[str], text: str) -> Library:
    path = PurePosixPath(text)
    numbers = found["version"].split(".")
    full = len(numbers) > 2
    return Library(
        library=found["library"].lower(),
        version=Version(found["version"]) if full else UNKNOWN,
        soname=f"{found['name']}.{numbers[0]}",
        path=str(path),
        owner=_owner(path),
        environment=_environment(path),
    )


def _owner(path: PurePosixPath) -> Owner:
    parts = path.parts
    if "site-packages" in parts or "dist-packages" in parts:
        return Owner(kind="wheel", name=path.parent.parent.name)
    if "envs" in parts or any("conda" in part for part in parts):
        return Owner(kind="conda")
    return Owner(kind="toolkit" if any("cuda" in part for part in parts[:-1]) else "system")


def _environment(path: PurePosixPath) -> str | None:
    """The folder above `lib/python3.x/site-packages`; None outside."""
    text = str(path)
    found = re.search(r"^(.{1,400}?)/lib(?:64)?/python3\.\d{1,2}/(?:site|dist)-packages/", text)
    return found[1] if found else None
