"""CUDA toolkits on disk: they compile, and that is all they are needed for."""

from __future__ import annotations

import json
import re

from dlsetup.model.machine import Toolkit
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.versions import CudaVersion
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes

PLACES = (
    "/usr/local/cuda",
    "/usr/local/cuda-*",
    "/opt/cuda",
    "/opt/cuda-*",
    "/usr/lib/cuda",
    "/usr/lib/nvidia-cuda-toolkit",
)
WINDOWS_PLACES = ("C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v*",)
VARIABLES = ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT")


def toolkits(host: Host, notes: Notes) -> tuple[Toolkit, ...]:
    """Every toolkit once, under the folder behind its links, with how it was found."""
    places: dict[str, str] = {}
    for path, via in _candidates(host):
        if host.is_folder(path) and _looks_like_one(host, path):
            places.setdefault(host.real(path), via)
    default = _default(host)
    return tuple(
        Toolkit(version=version_of(host, notes, path), path=path, default=path == default, found_via=via)
        for path, via in sorted(places.items())
    )


def _candidates(host: Host) -> list[tuple[str, str]]:
    """What a shell says comes before what lies in the usual places."""
    found = [(host.environ[name].rstrip("/"), name) for name in VARIABLES if host.environ.get(name)]
    compiler = host.which("nvcc")
    if compiler:
        found.append((_home_of(host, compiler), "nvcc on PATH"))
    for pattern in WINDOWS_PLACES if host.platform == "win32" else PLACES:
        found.extend((path, path) for path in host.glob(pattern))
    return found


def _home_of(host: Host, compiler: str) -> str:
    """The folder above `bin/nvcc`. `nvcc` may be a link, or a script of the distribution in /usr/bin."""
    real = host.real(compiler)
    home = real.rpartition("/bin/")[0]
    return home if home not in ("", "/usr") else "/usr/lib/nvidia-cuda-toolkit"


def _default(host: Host) -> str | None:
    """The one that a build would use: CUDA_HOME, else `nvcc` on PATH, else /usr/local/cuda."""
    for name in VARIABLES:
        if host.environ.get(name):
            return host.real(host.environ[name].rstrip("/"))
    compiler = host.which("nvcc")
    home = _home_of(host, compiler) if compiler else "/usr/local/cuda"
    return host.real(home) if host.is_folder(home) else None


def _looks_like_one(host: Host, path: str) -> bool:
    """A folder with a compiler, headers or a version file: an empty CUDA_HOME is none."""
    parts = ("version.json", "version.txt", "bin/nvcc", "bin/nvcc.exe", "include/cuda.h")
    return any(host.is_file(f"{path}/{part}") for part in parts)


def version_of(host: Host, notes: Notes, path: str) -> CudaVersion | Unknown:
    """From `version.json`, `version.txt` (up to 10.2), `cuda.h`, or the folder's name, in this order."""
    for told in (_from_json(host, path), _from_text(host, path), _from_header(host, path)):
        if told:
            return told
    named = re.search(r"cuda-(\d{1,2}\.\d{1,2})$|[/\\]v(\d{1,2}\.\d{1,2})$", path)
    if named:
        return CudaVersion(named[1] or named[2])
    notes.gap("toolkits.version", f"nothing in {path} tells its version", f"{path}/bin/nvcc --version")
    return UNKNOWN


def _from_json(host: Host, path: str) -> CudaVersion | None:
    """`{"cuda": {"name": "CUDA SDK", "version": "12.4.1"}, …}`."""
    try:
        told = json.loads(host.read(f"{path}/version.json") or "null")
        return CudaVersion(str(told["cuda"]["version"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _from_text(host: Host, path: str) -> CudaVersion | None:
    """`CUDA Version 10.2.89`."""
    found = re.search(
        r"CUDA Version (\d{1,2}\.\d{1,2}(?:\.\d{1,4})?)", host.read(f"{path}/version.txt") or ""
    )
    return CudaVersion(found[1]) if found else None


def _from_header(host: Host, path: str) -> CudaVersion | None:
    """`#define CUDA_VERSION 12040`."""
    found = re.search(
        r"^#define CUDA_VERSION (\d{4,6})$", host.read(f"{path}/include/cuda.h") or "", re.MULTILINE
    )
    return CudaVersion.from_api(int(found[1])) if found else None
