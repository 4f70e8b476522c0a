"""Programs that are listened to: bounded in time and in output, and ended with all that they began."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import psutil
import pytest

from dlsetup.probe.programs import OUTPUT_LIMIT, run, signal_name

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups of POSIX")


def gone(pid: int, seconds: float = 5) -> bool:
    until = time.monotonic() + seconds
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def test_of_much_output_the_beginning_and_the_end_are_kept() -> None:
    program = "import sys; w = sys.stdout.write; w('first'); [w('x' * 1000) for _ in range(9000)]; w('last')"
    found = run([sys.executable, "-c", program], 60, dict(os.environ))
    assert found.ok
    assert found.out.startswith("firstx")
    assert found.out.endswith("xlast")
    assert len(found.out) == OUTPUT_LIMIT


def test_streams_are_apart_and_codes_are_told() -> None:
    program = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    found = run([sys.executable, "-c", program], 30, dict(os.environ))
    assert (found.code, found.out, found.err, found.reason) == (3, "out\n", "err\n", "")
    killed = run(["sh", "-c", "kill -9 $$"], 30, dict(os.environ))
    assert killed.code == -signal.SIGKILL


def test_who_outlives_the_program_with_its_stream_holds_up_nobody() -> None:
    program = (
        "import subprocess, sys\n"
        "child = subprocess.Popen(['sleep', '60'], start_new_session=True)\n"
        "print(child.pid, flush=True)"
    )
    began = time.monotonic()
    found = run([sys.executable, "-c", program], 30, dict(os.environ))
    survivor = psutil.Process(int(found.out))
    try:
        assert found.ok
        assert time.monotonic() - began < 10
    finally:
        survivor.kill()


def test_who_is_late_ends_with_its_group(tmp_path: Path) -> None:
    place = tmp_path / "pid"
    shell = f"trap '' TERM INT; sleep 60 & echo $! > {place}; echo said; wait"
    began = time.monotonic()
    found = run(["sh", "-c", shell], 1, dict(os.environ))
    assert time.monotonic() - began < 10
    assert (found.code, found.out) == (None, "said\n")
    assert "no answer within 1 s" in found.reason
    assert gone(int(place.read_text()))


def test_a_program_that_closes_its_streams_has_its_deadline_too() -> None:
    began = time.monotonic()
    found = run(["sh", "-c", "exec >&- 2>&-; exec sleep 60"], 1, dict(os.environ))
    assert found.code is None
    assert time.monotonic() - began < 10


def test_what_is_no_program() -> None:
    found = run(["/nowhere/program"], 1, {})
    assert (found.code, found.out) == (None, "")
    assert "`/nowhere/program` cannot be started" in found.reason


def test_names_of_signals() -> None:
    assert [signal_name(number) for number in (9, 7777)] == ["SIGKILL", "signal 7777"]
