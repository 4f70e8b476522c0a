"""What the loader of a machine goes by: its folders, its cache, the variables, the interpreter it starts."""

from __future__ import annotations

import re
from glob import escape

from msgspec.structs import replace

from dlsetup.model.loading import LoaderSettings
from dlsetup.probe.host import Host
from dlsetup.probe.loader_cache import cache
from dlsetup.probe.pythons import Place
from dlsetup.probe.sites import sites

TRIPLETS = {"i686": "i386-linux-gnu"}
LEVELS = (
    ("x86-64-v4", "avx512f avx512bw avx512cd avx512dq avx512vl"),
    ("x86-64-v3", "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave"),
    ("x86-64-v2", "cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3"),
)
"""Levels of x86-64, each with the flags of /proc/cpuinfo that it needs beside those of the lower ones."""


def settings(host: Host, place: Place) -> LoaderSettings:
    """For the interpreter of an environment, in the shell whose variables the host has."""
    return replace(
        settings_of(host, host.real(interpreter(host, place.environment.path))),
        ctypes=_ctypes(host, place),
        sites=sites(host, place),
        abi=re.sub(r"^python(\d+)\.(\d+)(t?)$", r"cpython-\1\2\3", place.library),
    )


def settings_of(host: Host, program: str) -> LoaderSettings:
    """For any program, whose path leads through no link."""
    libc = "musl" if host.glob("/lib/ld-musl-*.so.1") else "glibc"
    levels = _levels(host) if libc == "glibc" else ()
    folders, lib = _folders(host, libc)
    return LoaderSettings(
        program=program,
        libc="musl" if libc == "musl" else "glibc",
        arch=host.arch,
        library_path=host.environ.get("LD_LIBRARY_PATH"),
        preload=_preload(host),
        cache=cache(host, levels) if libc == "glibc" else {},
        folders=folders,
        lib=lib,
        levels=levels,
        folder=host.folder,
    )


def interpreter(host: Host, path: str) -> str:
    """The program that runs the Python of an environment; what is called is not what links lead to.

    `path`: as `Environment.path` has it, for a base Python the program itself.
    """
    names = ("bin/python", "bin/python3", "Scripts/python.exe", "python.exe")
    return next((found for name in names if host.is_file(found := f"{path}/{name}")), path)


def _preload(host: Host) -> tuple[str, ...]:
    told = re.split(r"[ :\t\n]+", host.environ.get("LD_PRELOAD", ""))
    listed = re.sub(r"#.*", "", host.read("/etc/ld.so.preload", 64 << 10) or "")
    return tuple(item for item in (*told, *re.split(r"[ :\t\n]+", listed)) if item)


def _folders(host: Host, libc: str) -> tuple[tuple[str, ...], str]:
    """The loader's own folders, and what `$LIB` stands for: Debian's way, musl's, or everybody else's."""
    if libc == "musl":
        told = host.read(f"/etc/ld-musl-{host.arch}.path", 64 << 10)
        parts = re.split(r"[:\n]", told.strip()) if told else ["/lib", "/usr/local/lib", "/usr/lib"]
        return tuple(part for part in parts if part), "lib"
    triplet = TRIPLETS.get(host.arch, f"{host.arch}-linux-gnu")
    if host.exists(f"/usr/lib/{triplet}/libc.so.6") or host.exists(f"/lib/{triplet}/libc.so.6"):
        return (f"/lib/{triplet}", f"/usr/lib/{triplet}", "/lib", "/usr/lib"), f"lib/{triplet}"
    if host.arch in ("i686", "armv7l"):
        return ("/lib", "/usr/lib"), "lib"
    return ("/lib64", "/usr/lib64"), "lib64"


def _levels(host: Host) -> tuple[str, ...]:
    """What this processor may use of `glibc-hwcaps`; only x86-64 has levels."""
    if host.arch != "x86_64":
        return ()
    text = host.read("/proc/cpuinfo", 256 << 10) or ""
    found = re.search(r"^flags\s*:\s*(.*)$", text, re.MULTILINE)
    flags = set(found[1].split()) if found else set()
    reached: list[str] = []
    for level, needed in reversed(LEVELS):
        if not flags.issuperset(needed.split()):
            break
        reached.insert(0, level)
    return tuple(reached)


def _ctypes(host: Host, place: Place) -> str:
    """`_ctypes` of the base Python, where it is a module of its own."""
    real = host.real(interpreter(host, place.environment.path))
    base = real.rpartition("/bin/")[0]
    for prefix in dict.fromkeys((place.prefix, base)):
        found = host.glob(f"{escape(prefix)}/lib/{place.library}/lib-dynload/_ctypes.*so")
        if found:
            return found[0]
    return ""
