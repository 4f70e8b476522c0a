"""`dlsetup report`, and what reading it back gives."""

from __future__ import annotations

import getpass
import json
import subprocess
import sys
from pathlib import Path


def dlsetup(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dlsetup", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def findings(done: subprocess.CompletedProcess[str]) -> list[dict[str, object]]:
    return list(json.loads(done.stdout)["findings"])


def test_the_markdown_alone_says_the_same_when_it_is_read_back(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_text(f"token hf_abcdefghijklmnop in {Path.home()}/x\n```\n\x1b[31mred\n")
    done = dlsetup("report", "--output", str(tmp_path / "out"), "--log", str(log))
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "out" / "report.md").read_text()
    assert "hf_abcdefghijklmnop" not in text
    assert "\x1b" not in text
    assert f"{Path.home()}/x" not in text
    saved = findings(dlsetup("doctor", "--machine", str(tmp_path / "out" / "machine.json"), "--json"))
    pasted = findings(dlsetup("doctor", "--from", str(tmp_path / "out" / "report.md"), "--json"))
    assert pasted == saved
    machine = json.loads((tmp_path / "out" / "machine.json").read_text())
    assert machine["schema"] == "dlsetup.machine/1"
    assert len(getpass.getuser()) < 3 or f"/{getpass.getuser()}/" not in text


def test_what_a_log_tells_is_in_the_report_and_in_what_is_read_back(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_text(
        "A module that was compiled using NumPy 1.x cannot be run in NumPy 2.1.0 as it may crash.\n"
    )
    out = tmp_path / "out"
    assert dlsetup("report", "--output", str(out), "--log", str(log)).returncode == 0
    text = (out / "report.md").read_text()
    read_back = dlsetup("doctor", "--from", str(out / "report.md"), "--json")
    assert "numpy2-abi" in {item["id"] for item in findings(read_back)}
    assert all(str(item["title"]) in text for item in findings(read_back))


def test_the_markdown_goes_to_the_screen_if_it_is_asked_for() -> None:
    done = dlsetup("report", "--output", "-")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("### Environment, by dlsetup")
    assert '"schema": "dlsetup.machine/1"' in done.stdout


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = dlsetup("report", "--output", str(tmp_path / "file" / "inside"))
    assert done.returncode == 2
    assert "hint" in done.stderr
