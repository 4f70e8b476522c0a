"""Whose a folder beside an environment is: the process and the host that made it, and whether it lives."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

_JITTER = 2.0
"""Seconds by which the start of a process may seem later than it was."""


def owner_mark() -> str:
    """`PID-HOST`. A shared folder is written to from several hosts, whose process numbers differ."""
    return f"{os.getpid()}-{host_mark()}"


def host_mark() -> str:
    """Eight signs that stand for this host."""
    import socket

    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]


def maker_lives(process: int, folder: Path) -> bool:
    """Whether the process that made the folder still runs; a younger one only has its number."""
    import psutil

    try:
        begun = float(psutil.Process(process).create_time())
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return True
    return begun <= folder.stat().st_ctime + _JITTER
