"""Whatever a program of `verify` begins ends with it, and with us, however it tries to stay."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest
from tiny.proving import RUN, argv, make, survivors, variables, verify, xformers

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and sessions of POSIX")

BEGIN = "import os, signal, subprocess, sys, time\n"
SLEEP = "['sleep', '120']"
STAYERS = {
    "a grandchild in a session of its own": f"subprocess.Popen({SLEEP}, start_new_session=True)\n",
    "one that is deaf to signals": "subprocess.Popen(['sh', '-c', 'trap \"\" TERM INT; sleep 99; sleep 9'],"
    " start_new_session=True)\n",
    "two forks, and nobody is its parent": "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
    f"        os.execvp('sleep', {SLEEP})\n    os._exit(0)\nos.wait()\n",
    "one that begins another all the time": "subprocess.Popen([sys.executable, '-c', "
    "'import os, time\\nfor _ in range(40):\\n    time.sleep(0.05)\\n    if os.fork(): os._exit(0)\\n"
    "    os.setsid()\\ntime.sleep(120)'], start_new_session=True)\n",
}


@pytest.mark.parametrize("kind", STAYERS)
def test_what_stays_behind_is_ended(kind: str, tmp_path: Path) -> None:
    """They hold the pipe of the program open as well: nothing is waited for."""
    place = make(tmp_path / "env", xformers(BEGIN + STAYERS[kind]))
    began = time.monotonic()
    found = verify(place)
    assert found.code == 0, found.document
    assert time.monotonic() - began < 60


def test_what_hangs_is_ended_with_what_it_began(tmp_path: Path) -> None:
    text = BEGIN + "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    text += STAYERS["a grandchild in a session of its own"] + "time.sleep(120)\n"
    found = verify(make(tmp_path / "env", xformers(text)), "--deadline", "2")
    assert found.code == 1
    assert "no answer within 2 s" in found.of("xformers-import")["because"]


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_we_are_ended_in_the_middle(sent: signal.Signals, tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    text = BEGIN + STAYERS["a grandchild in a session of its own"]
    text += f"open({str(ready)!r}, 'w').close()\ntime.sleep(120)\n"
    place, mark = make(tmp_path / "env", xformers(text)), uuid.uuid4().hex
    process = subprocess.Popen(
        argv(place), env=variables(**{RUN: mark}), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    until = time.monotonic() + 60
    while not ready.exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert ready.exists()
    process.send_signal(sent)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == (130 if sent == signal.SIGINT else -sent)
    assert b"Traceback" not in errors
    assert not survivors(mark)
