"""Memory of the machine in use, the limits around this process, and what a tree of processes holds."""

from __future__ import annotations

import re

from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.use import MemoryUse
from dlsetup.probe.confinement import container
from dlsetup.probe.control_groups import ROOT, newer_group, older_group, upward
from dlsetup.probe.host import Host
from dlsetup.probe.notes import whole_number

UNLIMITED = 1 << 60
"""Version 1 writes no limit as a number close to 2⁶³."""


def memory_use(host: Host) -> MemoryUse:
    """What is free and what is bounded now."""
    groups = _groups(host)
    shm = shm_use(host)
    return MemoryUse(
        free_bytes=_free(host),
        limit_bytes=_limit(host, groups) if host.platform.startswith("linux") else None,
        oom_kills=_oom_kills(host, groups),
        shm_free_bytes=shm[0] - shm[1] if shm else UNKNOWN,
    )


def grown(before: int | Unknown, after: int | Unknown) -> int | Unknown:
    """By how much a count that only grows has grown."""
    if isinstance(before, Unknown) or isinstance(after, Unknown):
        return UNKNOWN
    return max(0, after - before)


def shm_use(host: Host) -> tuple[int, int] | None:
    """Size of /dev/shm, and how much of it is used; None: there is none."""
    space = host.space("/dev/shm") if host.is_folder("/dev/shm") else None
    return (space[0], space[0] - space[1]) if space else None


def resident(pid: int) -> int | None:
    """Bytes that a process and all that it started hold in memory; None: it is gone.

    What they share (files, shared memory) is counted once, as much as the one that has most of it.
    """
    import psutil

    try:
        root = psutil.Process(pid)
        family = [root, *root.children(recursive=True)]
    except (psutil.Error, OSError):
        return None
    own, shared = 0, 0
    for item in family:
        try:
            memory = item.memory_info()
        except (psutil.Error, OSError):
            continue
        common = getattr(memory, "shared", 0)
        own += max(0, memory.rss - common)
        shared = max(shared, common)
    return own + shared


def _free(host: Host) -> int | Unknown:
    found = re.search(r"^MemAvailable:\s*(\d{1,18}) kB", host.read("/proc/meminfo") or "", re.MULTILINE)
    if found:
        return int(found[1]) * 1024
    if host.root or host.platform.startswith("linux"):
        return UNKNOWN
    import psutil

    return int(psutil.virtual_memory().available)


def _groups(host: Host) -> tuple[str, ...]:
    """Folders of the control groups around us that bound memory, the innermost first."""
    for base, group in ((ROOT, newer_group(host)), (f"{ROOT}/memory", older_group(host, "memory"))):
        if group is None or not host.is_folder(base):
            continue
        groups = tuple(folder for folder in upward(base, group) if _files(host, folder))
        if groups:
            return groups
    return ()


def _files(host: Host, folder: str) -> bool:
    return host.is_file(f"{folder}/memory.max") or host.is_file(f"{folder}/memory.limit_in_bytes")


def _limit(host: Host, groups: tuple[str, ...]) -> int | None:
    texts = (
        host.read(f"{folder}/{name}") or ""
        for folder in groups
        for name in ("memory.max", "memory.limit_in_bytes")
    )
    found = [number for text in texts if (number := whole_number(text.strip())) is not None]
    return min((number for number in found if number < UNLIMITED), default=None)


def _oom_kills(host: Host, groups: tuple[str, ...]) -> int | Unknown:
    """Of our group and those in it; outside any, of the whole system."""
    places = [f"{groups[0]}/{name}" for name in ("memory.events", "memory.oom_control")] if groups else []
    if not groups and container(host) is None:
        places = ["/proc/vmstat"]
    for place in places:
        found = re.search(r"^oom_kill (\d{1,18})$", host.read(place) or "", re.MULTILINE)
        if found:
            return int(found[1])
    return UNKNOWN
