"""Commands inside limits of the kernel: a control group with little memory, a /dev/shm with little room."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

GROUPS = Path("/sys/fs/cgroup")
BYTES = 192 << 20
ENTER = 'echo $$ > "$0/cgroup.procs" && exec "$@"'
MOUNT = 'mount -t tmpfs -o size=1m tmpfs /dev/shm && exec "$@"'


@contextlib.contextmanager
def little_memory() -> Iterator[list[str]]:
    """Words that go before a command, which then has 192 MiB. Skips where no control group can be made."""
    _need_root()
    second = "memory" in _read(GROUPS / "cgroup.controllers").split()
    group = (GROUPS if second else GROUPS / "memory") / f"dlsetup-test-{uuid.uuid4().hex[:8]}"
    limit = group / ("memory.max" if second else "memory.limit_in_bytes")
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"no control group can be made: {error}")
    try:
        limit.write_text(str(BYTES))
        with contextlib.suppress(OSError):
            (group / "memory.swap.max").write_text("0")
        yield ["sh", "-c", ENTER, str(group)]
    except OSError as error:
        pytest.skip(f"memory of a control group cannot be bounded: {error}")
    finally:
        group.rmdir()


def little_shared_memory() -> list[str]:
    """Words that go before a command, which then sees a /dev/shm of 1 MiB. Skips where that cannot be."""
    _need_root()
    words = ["unshare", "-m", "sh", "-c", MOUNT, "sh"]
    if shutil.which("unshare") is None:
        pytest.skip("there is no `unshare`")
    tried = subprocess.run([*words, "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(f"nothing can be mounted here: {tried.stderr.strip()[-200:]}")
    return words


def _need_root() -> None:
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("it takes root on Linux")


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
