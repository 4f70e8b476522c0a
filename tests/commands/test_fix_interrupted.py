"""`dlsetup fix` that is ended by somebody else: the environment is as it was."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psutil
import pytest
from tiny.broken import Broken, Fix, mismatch
from tiny.index import TinyIndex


def wait_for(found: Callable[[], object], process: subprocess.Popen[bytes], seconds: float = 40) -> None:
    """Until the call gives something true."""
    end = time.monotonic() + seconds
    while not found():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


@contextmanager
def started(fix: Fix, **variables: str) -> Iterator[subprocess.Popen[bytes]]:
    """The command at work; whatever a test does to it, in the end nothing of it is left."""
    process = subprocess.Popen(
        fix.argv("--yes"),
        cwd=fix.command.home,
        env={**fix.command.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        for left in [process, *in_the_copy(fix.broken)]:
            left.kill()
        process.communicate(timeout=30)


def in_the_copy(broken: Broken) -> list[psutil.Process]:
    """Children of the copy: a framework is being imported there."""
    beside = f"{broken.folder.parent}/.{broken.folder.name}.mending-"
    found = psutil.process_iter(["cmdline"])
    return [process for process in found if (process.info["cmdline"] or [""])[0].startswith(beside)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_nothing_has_been(
    fix: Fix, broken: Broken, tiny_index: TinyIndex, number: signal.Signals
) -> None:
    mismatch(broken, tiny_index)
    before = broken.tree(), broken.beside()
    with started(fix, TINY_TORCH="hang") as process:
        wait_for(lambda: in_the_copy(broken), process)
        process.send_signal(number)
        process.communicate(timeout=30)
        assert process.returncode == 130
        assert (broken.tree(), broken.beside()) == before
        assert not in_the_copy(broken)


def test_interrupted_while_uv_waits_for_the_index(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    mismatch(broken, tiny_index)
    before = broken.tree(), broken.beside()
    tiny_index.faults["torchvision"] = "hang"
    tiny_index.asked.clear()
    with started(fix) as process:
        wait_for(lambda: any("torchvision" in path for path in tiny_index.asked), process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        assert process.returncode == 130
    assert (broken.tree(), broken.beside()) == before


def test_killed_the_environment_is_whole_and_the_next_run_tidies_up(
    fix: Fix, broken: Broken, tiny_index: TinyIndex
) -> None:
    mismatch(broken, tiny_index)
    before = broken.tree()
    with started(fix, TINY_TORCH="hang") as process:
        wait_for(lambda: in_the_copy(broken), process)
        process.kill()
        process.communicate(timeout=30)
    assert broken.tree() == before
    turn = f".{broken.folder.name}.turn"
    left = [name for name in broken.beside() if name not in (broken.folder.name, turn)]
    assert len(left) == 1
    assert ".mending-" in left[0]
    fix("--dry-run")
    assert left[0] in broken.beside()
    found = fix()
    assert found["result"] == "mended", found
    assert "it is as it was before that" in found["notes"][0]
    assert broken.beside() == [broken.folder.name]


def test_a_second_run_waits_its_turn(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    mismatch(broken, tiny_index)
    with started(fix, TINY_TORCH="hang") as process:
        wait_for(lambda: in_the_copy(broken), process)
        found = fix("--yes", "--wait", "0")
        assert (found["exit"], found["error"]["code"]) == (3, "step-failed")
        assert f"process {process.pid} is at work" in found["error"]["message"]
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert fix()["result"] == "mended"


def test_the_doctor_names_what_a_killed_run_left(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    mismatch(broken, tiny_index)

    def gaps() -> list[dict[str, str]]:
        said = fix.command("doctor", "--env", str(broken.folder), "--json").stdout
        unknown: list[dict[str, str]] = json.loads(said).get("unknown", [])
        return [gap for gap in unknown if gap["fact"] == "the environment"]

    with started(fix, TINY_TORCH="hang") as process:
        wait_for(lambda: in_the_copy(broken), process)
        assert gaps() == []
        process.kill()
        process.communicate(timeout=30)
    (gap,) = gaps()
    assert f"left `{broken.folder}` half changed" in gap["reason"]
    subprocess.run(gap["ask"], shell=True, cwd=fix.command.home, env=with_dlsetup(fix), check=True)
    assert gaps() == []
    assert broken.beside() == [broken.folder.name]


def with_dlsetup(fix: Fix) -> dict[str, str]:
    """Variables with which a shell finds `dlsetup`."""
    folder = fix.command.home.parent / "dlsetup-on-path"
    folder.mkdir()
    program = folder / "dlsetup"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dlsetup "$@"\n')
    program.chmod(0o755)
    return {**fix.command.environ, "PATH": f"{folder}{os.pathsep}{fix.command.environ['PATH']}"}
