"""What a person sees while files come, and what a lost network costs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest
from tiny.command import Command
from tiny.index import TinyIndex
from tiny.wheels import TinyWheel

Stock = Callable[..., dict[str, Any]]
ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07]*\x07")


def seen(command: Command, terminal: tuple[int, int], *words: str) -> tuple[int, str]:
    """The exit code of a command, and what a person saw of standard error."""
    reader, writer = terminal
    argv = command.argv(*words, *command.indexes)
    environ = {**command.environ, "TERM": "xterm", "COLUMNS": "100"}
    environ.pop("NO_COLOR", None)
    pieces: list[bytes] = []

    def read() -> None:
        while True:
            try:
                piece = os.read(reader, 1 << 16)
            except OSError:
                return
            if not piece:
                return
            pieces.append(piece)

    process = subprocess.Popen(
        argv,
        cwd=command.home,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=writer,
    )
    os.close(writer)
    follower = threading.Thread(target=read, daemon=True)
    follower.start()
    code = process.wait(120)
    follower.join(10)
    os.close(reader)
    return code, ESCAPES.sub("", b"".join(pieces).decode("utf-8", "replace"))


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no pseudo-terminals")
def test_names_bytes_and_time_left_of_an_environment(
    command: Command, stocked: Stock, tiny_index: TinyIndex, terminal: tuple[int, int]
) -> None:
    stocked("torch", "--cpu")
    tiny_index.faults["torch-"] = "slow"
    code, text = seen(command, terminal, "create", "env", "demo", "torch", "--cpu", "--yes")
    assert code == 0, text
    assert re.search(r"torch\s.*\d/\d[^\n]*\d:\d\d:\d\d", text), text
    assert re.search(r"\ball\s.*\d/\d[^\n]*\d:\d\d:\d\d", text), text


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no pseudo-terminals")
def test_names_bytes_and_time_left_of_a_bundle(
    command: Command, stocked: Stock, tiny_index: TinyIndex, terminal: tuple[int, int]
) -> None:
    stocked("torch", "--cpu")
    tiny_index.add("default", [TinyWheel("numpy", "2.9", files={"numpy/data": os.urandom(1 << 20)})])
    tiny_index.faults["numpy-2.9"] = "slow"
    words = ("bundle", "torch", "--cpu", "-o", "there", "--yes", "--json")
    code, text = seen(command, terminal, *words)
    assert code == 0, text
    assert re.search(r"numpy-2.9\S*\s.*\d/1\.0 MiB \d:\d\d:\d\d", text), text
    assert re.search(r"\ball\s.*\d/\d[^\n]*\d:\d\d:\d\d", text), text


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no pseudo-terminals")
def test_failure_on_a_terminal_is_told_in_uvs_words(
    command: Command, stocked: Stock, tiny_index: TinyIndex, terminal: tuple[int, int]
) -> None:
    stocked("torch", "--cpu")
    tiny_index.faults["numpy-"] = "wrong-hash"
    code, text = seen(command, terminal, "create", "env", "demo", "torch", "--cpu", "--yes")
    assert code == 3
    flat = " ".join(text.split())
    assert "Hash mismatch for `numpy==2.3.5`" in flat
    assert "do not trust it" in flat


def test_quiet_where_nobody_watches(command: Command, stocked: Stock) -> None:
    stocked("torch", "--cpu")
    found = command.create("demo", "torch", "--cpu", "--yes", "--json")
    assert found.returncode == 0
    assert found.stderr == ""


def test_second_run_goes_on_after_a_lost_network(
    command: Command, stocked: Stock, tiny_index: TinyIndex
) -> None:
    stocked("torch", "--cpu")
    tiny_index.faults["numpy-"] = "slow-cut"
    first = command.json("demo", "torch", "--cpu", "--yes")
    assert first["exit"] == 3
    assert "the same command goes on from there" in first["error"]["hint"]
    tiny_index.faults.clear()
    tiny_index.asked.clear()
    assert command.json("demo", "torch", "--cpu", "--yes")["exit"] == 0
    fetched = {
        path.rpartition("/")[2].partition("-")[0] for path in tiny_index.asked if path.endswith(".whl")
    }
    assert fetched == {"numpy"}
