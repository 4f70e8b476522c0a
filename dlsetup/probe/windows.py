"""Windows, from its build number and what psutil asks the system."""

from __future__ import annotations

from dlsetup.model.machine import Cpu, System
from dlsetup.model.record import UNKNOWN
from dlsetup.model.versions import OsRelease
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes, printable

FIRST_BUILD_OF_11 = 22000


def system(host: Host, notes: Notes) -> System:
    """Windows by build: 10.0.22000 and newer calls itself 10 and is Windows 11."""
    memory, cores, threads = host.capacity()
    build = host.release.rpartition(".")[2]
    known = build.isdigit() and host.release.startswith("10.")
    if not known:
        notes.gap("system.release", "Windows does not tell its build", "ver")
    model = host.environ.get("PROCESSOR_IDENTIFIER", "")
    return System(
        os="windows",
        name=f"Windows {'11' if int(build) >= FIRST_BUILD_OF_11 else '10'}" if known else "Windows",
        release=OsRelease(host.release) if known else UNKNOWN,
        libc=None,
        cpu=Cpu(model=printable(model) or UNKNOWN, cores=cores or UNKNOWN, threads=threads or UNKNOWN),
        memory_bytes=memory,
        shm_bytes=None,
        wsl=None,
        container=None,
    )
