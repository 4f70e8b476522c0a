"""The operating system, its C library, the processor, memory and disk."""

from __future__ import annotations

from msgspec.structs import replace

from dlsetup.model.machine import System
from dlsetup.model.processors import processor
from dlsetup.model.record import UNKNOWN
from dlsetup.probe import linux, macos, windows
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes

OF_32_BITS = ("x86", "i386")


def system(host: Host, notes: Notes) -> System:
    """What the machine is, without its accelerators."""
    if host.platform == "darwin":
        found = macos.system(host, notes)
    elif host.platform == "win32":
        found = windows.system(host, notes)
    elif host.platform.startswith("linux"):
        found = linux.system(host, notes)
    else:
        notes.gap("system.os", f"{host.platform} is not Linux, macOS or Windows")
        found = System()
    space = host.space(host.folder)
    if space is None:
        notes.gap("system.disk_free_bytes", f"the file system of {host.folder} does not answer", "df .")
    return replace(
        found,
        arch=arch(host) if found.arch is UNKNOWN else found.arch,
        kernel=found.kernel if found.kernel is not UNKNOWN or not host.release else host.release,
        disk_free_bytes=space[1] if space else UNKNOWN,
    )


def arch(host: Host) -> str:
    """The processor architecture in one spelling for all systems."""
    told = host.arch.lower()
    return "i686" if told in OF_32_BITS else processor(told)
