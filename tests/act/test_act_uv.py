"""uv's words, and what becomes of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from dlsetup.act.child import Finished, run
from dlsetup.act.interruption import interruptible, undisturbed
from dlsetup.act.uv import (
    PythonUnavailable,
    essence,
    fetchable_pythons,
    find_uv,
    may_fetch_pythons,
    published_pythons,
    refusal,
    variables,
)
from dlsetup.model.errors import ToolMissing

UNREACHABLE = """\
warning: The `--pylock` option is experimental and may change without warning.
error: Request failed after 3 retries in 8.8s
  cause: Failed to fetch: http://127.0.0.1:9/simple/numpy/
  cause: error sending request for url (http://127.0.0.1:9/simple/numpy/)
  cause: client error (Connect)
  cause: tcp connect error
"""
NO_PYTHON = """\
error: No interpreter found for Python 3.14 in managed installations or search path

hint: A managed Python download is available for Python 3.14, but Python downloads are set to 'never'
"""
NO_SOLUTION = """\
  × No solution found when resolving dependencies:
  ╰─▶ Because there is no version of numpy==77 and you require numpy==77, we can conclude that your
      requirements are unsatisfiable.
"""


def failed(words: str, *argv: str) -> Exception:
    return refusal(("/venv/bin/uv", *argv), Finished(code=2, err=words))


def test_essence_is_one_paragraph_without_warnings_and_hints() -> None:
    assert (
        essence(NO_PYTHON) == "No interpreter found for Python 3.14 in managed installations or search path"
    )
    assert essence(UNREACHABLE).startswith("Request failed after 3 retries in 8.8s: Failed to fetch")
    assert "experimental" not in essence(UNREACHABLE)
    assert essence(UNREACHABLE).endswith(": tcp connect error")
    assert essence(NO_SOLUTION) == (
        "No solution found when resolving dependencies: Because there is no version of numpy==77 and you "
        "require numpy==77, we can conclude that your requirements are unsatisfiable."
    )


@given(st.text(max_size=5000))
def test_essence_of_anything_is_short_and_on_one_line(text: str) -> None:
    found = essence(text)
    assert len(found) <= 2000
    assert "\n" not in found


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (UNREACHABLE, "network"),
        (NO_SOLUTION, "--index"),
        ("error: Hash mismatch for `numpy==2.1.0`", "do not trust it"),
        ("error: failed to write: No space left on device (os error 28)", "UV_CACHE_DIR"),
        ("error: failed to create directory: Permission denied (os error 13)", "may write"),
        ("error: something new", "--dry-run"),
    ],
)
def test_every_refusal_has_a_hint(words: str, hint: str) -> None:
    found = failed(words, "pip", "sync")
    assert hint in found.hint  # type: ignore[attr-defined]
    assert str(found).startswith("`uv pip sync` failed: ")


def test_missing_python_is_told_apart() -> None:
    assert isinstance(failed(NO_PYTHON, "venv", "--quiet"), PythonUnavailable)
    assert isinstance(failed("", "python", "install", "3.14"), PythonUnavailable)
    assert not isinstance(failed(UNREACHABLE, "pip", "compile"), PythonUnavailable)


def test_configuration_of_the_user_is_kept_and_what_the_plan_decides_is_not() -> None:
    found = variables(
        {
            "UV_INDEX_URL": "x",
            "UV_TORCH_BACKEND": "cpu",
            "UV_PREVIEW_FEATURES": "a,pylock",
            "HTTPS_PROXY": "p",
        }
    )
    assert found == {"UV_INDEX_URL": "x", "UV_PREVIEW_FEATURES": "a,pylock", "HTTPS_PROXY": "p"}


def test_uv_is_found_and_knows_which_pythons_it_can_fetch() -> None:
    uv = find_uv(os.environ)
    found = published_pythons(uv, os.environ)
    assert Version("3.12") in found
    assert all(len(item.release) == 2 and not item.is_prerelease for item in found)
    assert may_fetch_pythons({})
    assert not may_fetch_pythons({"UV_PYTHON_DOWNLOADS": "never"})
    assert not may_fetch_pythons({"UV_OFFLINE": "1"})
    assert fetchable_pythons({"UV_OFFLINE": "1"}) == ()
    assert fetchable_pythons(dict(os.environ), offline=True) == ()


def test_program_that_is_not_there() -> None:
    with pytest.raises(ToolMissing):
        run(("/nowhere/program",), os.environ)


def test_interruption_ends_the_program_and_its_children(tmp_path: Path) -> None:
    """A shell that starts a child, and a signal to us while we wait."""
    note = tmp_path / "pid"
    script = f"sleep 300 & echo $! > {note}; wait"
    timer = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"import os, time; time.sleep(1); os.kill({os.getpid()}, {int(signal.SIGTERM)})",
        ]
    )
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt), interruptible():
        run(("sh", "-c", script), os.environ)
    timer.wait()
    assert time.monotonic() - began < 20
    deadline = time.monotonic() + 5
    while psutil.pid_exists(int(note.read_text())) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not psutil.pid_exists(int(note.read_text()))


def test_tidying_up_is_not_disturbed() -> None:
    with interruptible(), undisturbed():
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
