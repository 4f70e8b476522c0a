"""Memory of this process: the most it had, and a bound at which an allocation fails in time."""

from __future__ import annotations

import contextlib
import re
import sys


def forget_peak() -> bool:
    """Whether the most that this process had is from now on the most since now (Linux)."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        return False
    return True


def peak() -> int:
    """Bytes of resident memory at most; 0: nobody tells."""
    return status("VmHWM")


def status(name: str) -> int:
    """A line of `/proc/self/status` in bytes."""
    with contextlib.suppress(OSError), open("/proc/self/status") as file:
        found = re.search(rf"^{name}:\s+(\d+) kB", file.read(), re.MULTILINE)
        return int(found[1]) * 1024 if found else 0
    return 0


def bound(more: int) -> None:
    """From now on this process gets so many bytes beside those that it has (Linux)."""
    held = status("VmData")
    if more <= 0 or not held or sys.platform != "linux":
        return
    import resource

    with contextlib.suppress(OSError, ValueError):
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (held + more, hard))
