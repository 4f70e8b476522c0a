"""The C library of a Linux system, from its own file."""

from __future__ import annotations

import re

from dlsetup.model.machine import Libc
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.versions import LibcVersion
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes

LIBRARY_LIMIT = 8 << 20
GLIBC_PLACES = (
    "/lib/{arch}-linux-gnu/libc.so.6",
    "/lib64/libc.so.6",
    "/usr/lib64/libc.so.6",
    "/usr/lib/libc.so.6",
    "/lib/libc.so.6",
)


def libc(host: Host, notes: Notes) -> Libc | Unknown:
    """glibc by the sentence inside its library, musl by the word of its loader."""
    musl = host.glob("/lib/ld-musl-*.so.1")
    for place in GLIBC_PLACES:
        text = host.read_bytes(place.format(arch=host.arch), LIBRARY_LIMIT)
        if text is not None and not (musl and b"GNU C Library" not in text):
            return Libc(name="glibc", version=_glibc(text))
    if musl:
        return Libc(name="musl", version=_musl(host, musl[0]))
    notes.gap("system.libc", "no C library was found where Linux keeps it", "ldd --version")
    return UNKNOWN


def _glibc(text: bytes) -> LibcVersion | Unknown:
    """`GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36.`"""
    at = text.find(b"GNU C Library")
    found = re.search(rb"version (\d+\.\d+(?:\.\d+)?)", text[at : at + 200]) if at >= 0 else None
    return LibcVersion(found[1].decode()) if found else UNKNOWN


def _musl(host: Host, loader: str) -> LibcVersion | Unknown:
    """The loader without arguments says `musl libc (x86_64)`, `Version 1.2.4`."""
    found = re.search(r"Version (\d+\.\d+\.\d+)", host.run([loader], 2).err)
    return LibcVersion(found[1]) if found else UNKNOWN
