"""Which version a CUDA library is, from its file's name or the header beside it."""

from __future__ import annotations

import re

from packaging.version import Version

from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.probe.host import Host

HEADERS = {
    "cudart": ("cuda_runtime_api.h",),
    "cublas": ("cublas_api.h",),
    "cudnn": ("cudnn_version.h", "cudnn.h"),
    "nccl": ("nccl.h",),
}
WORDS = {
    "cublas": ("CUBLAS_VER_MAJOR", "CUBLAS_VER_MINOR", "CUBLAS_VER_PATCH"),
    "cudnn": ("CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL"),
    "nccl": ("NCCL_MAJOR", "NCCL_MINOR", "NCCL_PATCH"),
}
FOLDERS = ("../include", "../../include")
RUNTIME = re.compile(r"^#define CUDART_VERSION\s+(\d{4,6})\b", re.MULTILINE)


def library_version(host: Host, library: str, real: str) -> Version | Unknown:
    """By `libcublas.so.12.4.5.8`, else by a header beside the library that speaks of the same major.

    A name with fewer than three numbers is that of an interface: libcudart.so.11.0 is in all of CUDA 11.
    """
    number = real.rpartition(".so.")[2]
    if re.fullmatch(r"[0-9]+(\.[0-9]+){2,4}", number):
        return Version(number)
    told = _by_header(host, library, real.rpartition("/")[0])
    major = number.partition(".")[0]
    return told if told is not None and major in ("", str(told.major)) else UNKNOWN


def _by_header(host: Host, library: str, folder: str) -> Version | None:
    for place in FOLDERS:
        for header in HEADERS.get(library, ()):
            text = host.read(f"{folder}/{place}/{header}")
            told = _runtime(text) if text and library == "cudart" else _parts(text or "", library)
            if told:
                return told
    return None


def _runtime(text: str) -> Version | None:
    """`#define CUDART_VERSION 12040` is 12.4."""
    found = RUNTIME.search(text)
    return Version(f"{int(found[1]) // 1000}.{int(found[1]) % 1000 // 10}") if found else None


def _parts(text: str, library: str) -> Version | None:
    found = [
        re.search(rf"^#define {word}\s+(\d{{1,4}})\b", text, re.MULTILINE) for word in WORDS.get(library, ())
    ]
    numbers = [match[1] for match in found if match]
    return Version(".".join(numbers)) if numbers and len(numbers) == len(found) else None
