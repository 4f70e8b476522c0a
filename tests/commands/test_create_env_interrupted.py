"""`dlsetup create env`, interrupted or killed: nothing is left behind, nobody goes on working."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from typing import Any

import psutil
import pytest
from tiny.command import Command
from tiny.index import TinyIndex

Stock = Callable[..., dict[str, Any]]


def started(command: Command, tiny_index: TinyIndex) -> subprocess.Popen[bytes]:
    """The command, up to where it waits for a file that never comes."""
    tiny_index.faults["numpy-2.3.5-cp"] = "hang"
    process = subprocess.Popen(
        command.argv("create", "env", "demo", "torch", "--cpu", "--yes", *command.indexes),
        cwd=command.home,
        env={**command.environ, "UV_HTTP_TIMEOUT": "50"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60
    while not any("/files/numpy-2.3.5-cp" in path and ".metadata" not in path for path in tiny_index.asked):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return process


def ended(pids: list[int]) -> bool:
    deadline = time.monotonic() + 10
    while any(psutil.pid_exists(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not any(psutil.pid_exists(pid) for pid in pids)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interruption_leaves_nothing_and_nobody(
    number: int, command: Command, stocked: Stock, tiny_index: TinyIndex
) -> None:
    stocked("torch", "--cpu")
    process = started(command, tiny_index)
    children = [child.pid for child in psutil.Process(process.pid).children(recursive=True)]
    assert children
    assert any(name.startswith(".demo.building-") for name in command.entries())
    process.send_signal(number)
    assert process.wait(30) == 130
    assert ended(children)
    assert command.entries() == []


def called(process: psutil.Process) -> str:
    """The command line of a process; nothing once it has ended."""
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def test_interruption_while_it_is_proved(command: Command, stocked: Stock) -> None:
    stocked("torch", "--cpu")
    process = subprocess.Popen(
        command.argv("create", "env", "demo", "torch", "--cpu", "--yes", *command.indexes),
        cwd=command.home,
        env={**command.environ, "TINY_TORCH": "hang"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60
    children: list[psutil.Process] = []
    while not any("child.py" in called(child) for child in children):
        assert time.monotonic() < deadline
        time.sleep(0.1)
        children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    assert ended([child.pid for child in children])
    assert command.entries() == []


def test_what_a_killed_build_left_is_removed_by_the_next(
    command: Command, stocked: Stock, tiny_index: TinyIndex
) -> None:
    stocked("torch", "--cpu")
    process = started(command, tiny_index)
    children = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.wait()
    left = [name for name in command.entries() if name != ".demo.turn"]
    assert len(left) == 1
    tiny_index.faults.clear()
    tiny_index.release()
    found = command.json("demo", "torch", "--cpu", "--yes")
    assert found["exit"] == 0, found
    assert left[0] in found["environment"]["notes"][0]
    assert ended([child.pid for child in children])
    assert command.entries() == ["demo"]
