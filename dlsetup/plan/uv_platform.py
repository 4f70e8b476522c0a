"""A target in the words of uv's `--python-platform`."""

from __future__ import annotations

from dlsetup.model.machine import Libc
from dlsetup.model.record import Unknown
from dlsetup.model.target import Target
from dlsetup.model.versions import LibcVersion

GLIBC_LINES = ("2.17", "2.28", *(f"2.{minor}" for minor in range(31, 41)))
"""The glibc releases that uv knows as platforms."""


def uv_platform(target: Target) -> str | None:
    """`x86_64-manylinux_2_28`, `aarch64-apple-darwin`, …; None where the target does not tell.

    A glibc between two lines takes the older one: its wheels run there, those of the newer may not.
    """
    if isinstance(target.arch, Unknown) or isinstance(target.os, Unknown):
        return None
    if target.os == "windows":
        return f"{target.arch}-pc-windows-msvc"
    if target.os == "macos":
        return f"{target.arch}-apple-darwin"
    return f"{target.arch}-{_linux(target.libc)}"


def _linux(libc: Libc | None | Unknown) -> str:
    if libc is None or isinstance(libc, Unknown):
        return "unknown-linux-gnu"
    if libc.name == "musl":
        return "unknown-linux-musl"
    version = libc.version
    if isinstance(version, Unknown):
        return "unknown-linux-gnu"
    fitting = [line for line in GLIBC_LINES if LibcVersion(line) <= version]
    return f"manylinux_{(fitting or ['2.17'])[-1].replace('.', '_')}"
