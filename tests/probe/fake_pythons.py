"""Pythons made of a few files in a folder, and what the probe says of them."""

from __future__ import annotations

from pathlib import Path

from probe_roots import Root

from dlsetup.model.machine import Environment
from dlsetup.probe.environments import environments
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes

ELF = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00"
X86_64, AARCH64 = b"\x3e\x00", b"\xb7\x00"


def write(root: Path, path: str, text: str = "") -> None:
    Root(root).write(path, text)


def interpreter(root: Path, path: str, processor: bytes = X86_64) -> None:
    """A program that cannot run: whoever starts it learns nothing."""
    Root(root).write(path, ELF + processor + bytes(64))
    Root(root).local(path).chmod(0o755)


def script(root: Path, path: str, text: str) -> None:
    Root(root).program(path, text)


def link(root: Path, path: str, target: str) -> None:
    Root(root).link(path, target)


def system_python(root: Path, minor: int = 12, patch: int = 3) -> None:
    """`/usr/bin/python3` as Debian and Ubuntu lay it out, with its header."""
    interpreter(root, f"/usr/bin/python3.{minor}")
    link(root, "/usr/bin/python3", f"python3.{minor}")
    header = f'#define PY_VERSION      \t"3.{minor}.{patch}"\n'
    write(root, f"/usr/include/python3.{minor}/patchlevel.h", header)
    write(root, f"/usr/lib/python3.{minor}/EXTERNALLY-MANAGED")


def virtual(root: Path, folder: str, text: str = "home = /usr/bin\nversion = 3.12.3\n") -> None:
    write(root, f"{folder}/pyvenv.cfg", text)
    (root / folder.lstrip("/") / "lib/python3.12/site-packages").mkdir(parents=True)
    link(root, f"{folder}/bin/python", "/usr/bin/python3")


def conda(root: Path, folder: str, record: str = "python-3.11.9-h955ad1f_0_cpython.json") -> None:
    write(root, f"{folder}/conda-meta/{record}", "{}")
    interpreter(root, f"{folder}/bin/python3.11")
    link(root, f"{folder}/bin/python", "python3.11")
    (root / folder.lstrip("/") / "lib/python3.11/site-packages").mkdir(parents=True)


def at(root: Path, *, folder: str = "/home/ada/work", **environ: str) -> Host:
    return Host(root, {"PATH": "/usr/bin", "HOME": "/home/ada", **environ}, folder=folder)


def listed(host: Host, asked: str | None = None) -> tuple[Environment, ...]:
    return environments(host, Notes(), asked=asked, clues=())


def paths(host: Host, asked: str | None = None) -> list[str]:
    return [item.path for item in listed(host, asked)]


def examined(host: Host, asked: str | None = None) -> Environment:
    (found,) = (item for item in listed(host, asked) if item.examined)
    return found
