"""macOS, from its version file and `sysctl`."""

from __future__ import annotations

import re

from dlsetup.model.machine import Cpu, System
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.versions import OsRelease
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes, printable, whole_number

VERSION_FILE = "/System/Library/CoreServices/SystemVersion.plist"
SYSCTL = "/usr/sbin/sysctl"
KEYS = ("machdep.cpu.brand_string", "hw.physicalcpu", "hw.logicalcpu", "hw.memsize", "hw.optional.arm64")


def system(host: Host, notes: Notes) -> System:
    """macOS by release, and the processor as the kernel describes it.

    A process that Rosetta translates is told `x86_64`; `hw.optional.arm64` tells the processor itself.
    """
    found = re.search(
        r"<key>ProductVersion</key>\s*<string>(\d+(?:\.\d+)*)</string>", host.read(VERSION_FILE) or ""
    )
    words = kernel_words(host, notes)
    return System(
        os="macos",
        name=f"macOS {found[1]}" if found else "macOS",
        release=OsRelease(found[1]) if found else UNKNOWN,
        arch="aarch64" if words.get("hw.optional.arm64") == "1" else UNKNOWN,
        libc=None,
        cpu=Cpu(
            model=words.get("machdep.cpu.brand_string") or UNKNOWN,
            cores=_number(words.get("hw.physicalcpu")),
            threads=_number(words.get("hw.logicalcpu")),
        ),
        memory_bytes=_number(words.get("hw.memsize")),
        shm_bytes=None,
        wsl=None,
        container=None,
    )


def kernel_words(host: Host, notes: Notes) -> dict[str, str]:
    """What `sysctl` says of the processor; keys that this machine does not have are left out."""
    outcome = host.run([SYSCTL, *KEYS], 3)
    if not outcome.out:
        notes.gap("system.cpu", outcome.reason or "`sysctl` says nothing", f"sysctl {KEYS[0]}")
    pairs = (line.partition(": ") for line in outcome.out.splitlines())
    return {key: printable(value) for key, _, value in pairs if value}


def _number(text: str | None) -> int | Unknown:
    number = whole_number(text or "")
    return UNKNOWN if number is None else number
