"""CUDA toolkits on disk: they compile, and that is all they are needed for."""

from __future__ import annotations

import json
import re
import shlex
from glob import escape

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
    "/usr/lib/nvidia-cuda-toolkit",
    "/usr/lib/cuda",
)
DEBIAN = "/usr/lib/nvidia-cuda-toolkit"
WINDOWS_PLACES = ("C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v*",)
VARIABLES = ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT")
COMPILERS = ("bin/nvcc", "bin/nvcc.exe")
HEADERS = ("include/cuda.h", "targets/*/include/cuda.h")
SCRIPT_LIMIT = 4096
DEADLINE = 3.0


def toolkits(host: Host, notes: Notes) -> tuple[Toolkit, ...]:
    """Every toolkit once, under the folder behind its links, with how it was found."""
    places: dict[str, str] = {}
    for path, via in _candidates(host):
        if any(host.is_file(f"{path}/{compiler}") for compiler in COMPILERS) or _told(host, path):
            places.setdefault(host.real(path), via)
    default = _default(host)
    return tuple(
        Toolkit(version=_version(host, notes, path), path=path, default=path == default, found_via=via)
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
    """The folder above `bin/nvcc`, behind links and behind a script that only starts the real one."""
    real = host.real(compiler)
    text = host.read(real, SCRIPT_LIMIT) or ""
    started = re.search(r"(/[^\s\"';]+)/bin/nvcc\b", text) if text.startswith("#!") else None
    home = host.real(started[1]) if started else re.sub(r"[/\\]bin[/\\]nvcc(\.exe)?$", "", real)
    return DEBIAN if home == "/usr" else home


def _default(host: Host) -> str | None:
    """The one that a build would use: CUDA_HOME, else that of `nvcc` on PATH, else /usr/local/cuda."""
    for name in VARIABLES:
        if host.environ.get(name):
            return host.real(host.environ[name].rstrip("/"))
    compiler = host.which("nvcc")
    home = _home_of(host, compiler) if compiler else "/usr/local/cuda"
    return host.real(home) if host.is_folder(home) else None


def _version(host: Host, notes: Notes, path: str) -> CudaVersion | Unknown:
    """By its files, else by its folder's name, else its compiler says it."""
    told = _told(host, path)
    if told:
        return told
    named = re.search(r"cuda-(\d{1,2}\.\d{1,2})$|[/\\]v(\d{1,2}\.\d{1,2})$", path)
    if named:
        return CudaVersion(named[1] or named[2])
    compiler = next((f"{path}/{name}" for name in COMPILERS if host.is_file(f"{path}/{name}")), None)
    said = re.search(
        r"release (\d{1,2}\.\d{1,2})", host.run([compiler, "--version"], DEADLINE).out if compiler else ""
    )
    if said:
        return CudaVersion(said[1])
    notes.gap(
        "toolkits.version", f"nothing in {path} tells its version", f"{shlex.quote(path)}/bin/nvcc --version"
    )
    return UNKNOWN


def _told(host: Host, path: str) -> CudaVersion | None:
    """From `version.json`, `version.txt` (up to 10.2) or `cuda.h`, in this order."""
    return _from_json(host, path) or _from_text(host, path) or _from_header(host, path)


def _from_json(host: Host, path: str) -> CudaVersion | None:
    """`{"cuda": {"name": "CUDA SDK", "version": "12.4.1"}, …}`."""
    try:
        told = json.loads(host.read(f"{path}/version.json") or "null")
        return CudaVersion(str(told["cuda"]["version"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _from_text(host: Host, path: str) -> CudaVersion | None:
    """`CUDA Version 10.2.89`."""
    text = host.read(f"{path}/version.txt", SCRIPT_LIMIT) or ""
    found = re.search(r"CUDA Version (\d{1,2}\.\d{1,2}(?:\.\d{1,4})?)", text)
    return CudaVersion(found[1]) if found else None


def _from_header(host: Host, path: str) -> CudaVersion | None:
    """`#define CUDA_VERSION 12040`."""
    for place in HEADERS:
        for header in host.glob(f"{escape(path)}/{place}"):
            found = re.search(r"^#define CUDA_VERSION (\d{4,6})\s*$", host.read(header) or "", re.MULTILINE)
            if found:
                return CudaVersion.from_api(int(found[1]))
    return None
