"""The control groups around this process, of both versions: where their files lie."""

from __future__ import annotations

import re

from dlsetup.probe.host import Host

ROOT = "/sys/fs/cgroup"


def newer_group(host: Host) -> str | None:
    """Our group in the one tree of version 2; None: there is none."""
    return _group(host, r"^0::(/\S*)$")


def older_group(host: Host, controller: str) -> str | None:
    """Our group in the tree that a controller has in version 1; None: there is none."""
    return _group(host, rf"^\d+:(?:\w+,)*{controller}(?:,\w+)*:(/\S*)$")


def upward(base: str, group: str) -> tuple[str, ...]:
    """Folders of a group and of all that hold it, the innermost first."""
    parts = [part for part in group.split("/") if part and part != ".."]
    return tuple("/".join((base, *parts[:depth])) for depth in range(len(parts), -1, -1))


def _group(host: Host, pattern: str) -> str | None:
    found = re.search(pattern, host.read("/proc/self/cgroup") or "", re.MULTILINE)
    return found[1] if found else None
