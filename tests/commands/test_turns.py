"""Two commands at once on one environment: real processes, which wait for each other and look again."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tiny.broken import Broken, Fix, mismatch
from tiny.command import Command
from tiny.index import TinyIndex

Stock = Callable[..., dict[str, Any]]


def begin(command: Command, argv: list[str], **variables: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        argv,
        cwd=command.home,
        env={**command.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def until(found: Callable[[], object], process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 60
    while not found():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


def beside_each_other(
    first: subprocess.Popen[bytes], command: Command, argv: list[str], **variables: str
) -> tuple[subprocess.Popen[bytes], bytes, bytes]:
    """A second process, while the first stands still until the second says that it waits for it."""
    first.send_signal(signal.SIGSTOP)
    second = begin(command, argv, **variables)
    assert second.stderr
    heard = b""
    while b"waiting" not in heard and (line := second.stderr.readline()):
        heard += line
    first.send_signal(signal.SIGCONT)
    said, more = second.communicate(timeout=120)
    return second, said, heard + more


def words(said: bytes) -> str:
    """What was said, whatever the width of the screen."""
    return " ".join(said.decode().split())


def creation(command: Command, *words: str) -> list[str]:
    return command.argv("create", "env", "demo", "torch", "--cpu", "--yes", *words, *command.indexes)


def building(command: Command) -> bool:
    return any(name.startswith(".demo.building-") for name in command.entries())


def test_a_second_create_waits_and_finds_the_place_taken(command: Command, stocked: Stock) -> None:
    stocked("torch", "--cpu")
    first = begin(command, creation(command))
    until(lambda: building(command), first)
    second, said, heard = beside_each_other(first, command, creation(command, "--wait", "60", "--json"))
    assert first.wait(60) == 0
    first.communicate()
    assert f"process {first.pid} is at work on `{command.home / 'demo'}`; waiting" in words(heard)
    assert second.returncode == 2, said
    assert "exists already" in json.loads(said)["error"]["message"]
    assert command.entries() == ["demo"]


def test_a_second_create_that_may_not_wait_is_told_who_is_at_work(
    command: Command, stocked: Stock, tmp_path: Path
) -> None:
    """Whatever folder its own journal lies in. The first is then killed, and holds nobody up."""
    stocked("torch", "--cpu")
    first = begin(command, creation(command), TINY_TORCH="hang")
    until(lambda: building(command), first)
    found = command.json(
        "demo", "torch", "--cpu", "--yes", "--wait", "0", DLSETUP_STATE=str(tmp_path / "other")
    )
    assert (found["exit"], found["error"]["code"]) == (3, "step-failed"), found
    assert f"process {first.pid} is at work" in found["error"]["message"]
    first.send_signal(signal.SIGKILL)
    first.communicate(timeout=30)
    assert command.json("demo", "torch", "--cpu", "--yes", "--wait", "0")["exit"] == 0
    assert command.entries() == ["demo"]


def test_a_second_fix_waits_and_looks_again(
    fix: Fix, broken: Broken, tiny_index: TinyIndex, tmp_path: Path
) -> None:
    mismatch(broken, tiny_index)
    first = begin(fix.command, fix.argv("--yes", "--json"))
    until(lambda: any(".mending-" in name for name in broken.beside()), first)
    state = str(tmp_path / "other")
    argv = fix.argv("--yes", "--json", "--wait", "60")
    _, said, heard = beside_each_other(first, fix.command, argv, DLSETUP_STATE=state)
    done, _ = first.communicate(timeout=60)
    assert json.loads(done)["result"] == "mended"
    assert f"process {first.pid} is at work" in words(heard)
    assert json.loads(said)["result"] == "nothing-to-mend"
    assert broken.beside() == [broken.folder.name]


def test_undo_waits_for_a_fix(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    mismatch(broken, tiny_index)
    before = broken.tree()
    first = begin(fix.command, fix.argv("--yes"))
    until(lambda: any(".mending-" in name for name in broken.beside()), first)
    back = fix.command("undo", "--env", str(broken.folder), "--yes", "--json", "--wait", "60")
    first.communicate(timeout=60)
    assert json.loads(back.stdout)["result"] == "undone", back
    assert broken.tree() == before
