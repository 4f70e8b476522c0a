"""Linux, from its files."""

from __future__ import annotations

import re

from dlsetup.model.machine import Cpu, System
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.versions import OsRelease
from dlsetup.probe.confinement import container, wsl
from dlsetup.probe.host import Host
from dlsetup.probe.libc import libc
from dlsetup.probe.notes import Notes, printable, whole_number

CPUINFO_LIMIT = 8 << 20


def system(host: Host, notes: Notes) -> System:
    """What /etc, /proc and /sys say."""
    words = os_release(host)
    return System(
        os="linux",
        name=words.get("PRETTY_NAME") or words.get("NAME") or UNKNOWN,
        release=_release(words.get("VERSION_ID", "")),
        kernel=printable(host.read("/proc/sys/kernel/osrelease") or "") or UNKNOWN,
        libc=libc(host, notes),
        cpu=_cpu(host),
        memory_bytes=_memory(host, notes),
        shm_bytes=_shm(host),
        wsl=wsl(host),
        container=container(host),
    )


def os_release(host: Host) -> dict[str, str]:
    """The words of os-release: `PRETTY_NAME="Ubuntu 22.04.4 LTS"`."""
    text = host.read("/etc/os-release") or host.read("/usr/lib/os-release") or ""
    pairs = (line.partition("=") for line in text.splitlines() if "=" in line and line[:1] != "#")
    return {key.strip(): printable(value.strip().strip("\"'")) for key, _, value in pairs}


def _release(text: str) -> OsRelease | Unknown:
    found = re.match(r"\d{1,9}(\.\d{1,9}){0,5}", text)
    return OsRelease(found[0]) if found else UNKNOWN


def _cpu(host: Host) -> Cpu:
    text = host.read("/proc/cpuinfo", CPUINFO_LIMIT) or ""
    threads = len(re.findall(r"^processor\s*:", text, re.MULTILINE))
    model = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    pairs = re.findall(r"^physical id\s*:\s*(\d+)$[\s\S]*?^core id\s*:\s*(\d+)$", text, re.MULTILINE)
    return Cpu(
        model=printable(model[1]) if model else UNKNOWN,
        threads=threads or UNKNOWN,
        cores=len(set(pairs)) or _cores_by_siblings(host, threads),
    )


def _cores_by_siblings(host: Host, threads: int) -> int | Unknown:
    """ARM lists no cores in cpuinfo, but says which threads share the first one: `0-1` or `0,64`."""
    text = host.read("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list")
    if not text or not threads:
        return UNKNOWN
    shared = 0
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        begin, end = whole_number(first), whole_number(last or first)
        if begin is None or end is None:
            return UNKNOWN
        shared += end - begin + 1
    return threads // shared if shared > 0 and threads >= shared else UNKNOWN


def _memory(host: Host, notes: Notes) -> int | Unknown:
    found = re.search(r"^MemTotal:\s*(\d+) kB", host.read("/proc/meminfo") or "", re.MULTILINE)
    if found:
        return int(found[1]) * 1024
    notes.gap("system.memory_bytes", "/proc/meminfo does not tell", "free -b")
    return UNKNOWN


def _shm(host: Host) -> int | None | Unknown:
    """The size that /dev/shm was mounted with, or half of the memory where it was given none.

    Of several mounts at one place the last is the one that is seen.
    """
    if not host.is_folder("/dev/shm"):
        return None
    mounts = host.read("/proc/self/mountinfo", 4 << 20) or ""
    found = re.findall(r"^.* /dev/shm .* - tmpfs \S+ (\S+)$", mounts, re.MULTILINE)
    size = re.search(r"(?:^|,)size=(\d+)([kmg]?)", found[-1]) if found else None
    if size:
        return int(size[1]) << {"": 0, "k": 10, "m": 20, "g": 30}[size[2]]
    space = host.space("/dev/shm")
    return space[0] if space else UNKNOWN
