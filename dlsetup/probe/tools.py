"""Programs that make environments, compile or contain them: which are here, and where."""

from __future__ import annotations

import re

from dlsetup.model.machine import Tool
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes, printable

WATCHED = (
    "conda",
    "mamba",
    "micromamba",
    "pixi",
    "uv",
    "docker",
    "podman",
    "nvcc",
    "gcc",
    "g++",
    "cmake",
    "ninja",
)
SAY_VERSION = {"nvcc": "--version", "gcc": "-dumpfullversion"}
"""Only the versions that decide something; asking every program would cost more than the whole look."""
DEADLINE = 3.0


def tools(host: Host, notes: Notes) -> tuple[Tool, ...]:
    """The programs that a shell would start, in a fixed order."""
    found = []
    for name in WATCHED:
        path = _path(host, name)
        if path:
            found.append(Tool(name=name, path=path, version=_version(host, notes, name, path)))
    return tuple(found)


def _path(host: Host, name: str) -> str | None:
    """On PATH; conda also where its shell function finds it, uv also beside dlsetup."""
    path = host.which(name)
    if path is None and name in ("conda", "mamba", "micromamba"):
        path = host.environ.get("CONDA_EXE" if name == "conda" else "MAMBA_EXE")
        if path and not path.rpartition("/")[2].startswith(name):
            return None
    if path is None and name == "uv" and host.own:
        path = f"{host.own}/{'Scripts/uv.exe' if host.platform == 'win32' else 'bin/uv'}"
    return path if path and host.is_file(path) else None


def _version(host: Host, notes: Notes, name: str, path: str) -> str | Unknown:
    option = SAY_VERSION.get(name)
    if option is None:
        return UNKNOWN
    answer = host.run([path, option], DEADLINE)
    if not answer.ok:
        notes.gap(f"tools.{name}.version", answer.reason or f"`{name} {option}` failed", f"{name} {option}")
        return UNKNOWN
    told = re.search(r"release (\d+\.\d+)", answer.out) if name == "nvcc" else re.match(r"[\d.]+", answer.out)
    return printable(told[1] if told and told.re.groups else told[0]) if told else UNKNOWN
