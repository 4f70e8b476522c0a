"""`dlsetup triage`, from the outside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

TOO_OLD = (
    "UserWarning: CUDA initialization: The NVIDIA driver on your system is too old (found version 11040).\n"
    "torch==2.9.1+cu128\n"
)
WELL = ">>> torch.__version__, torch.cuda.is_available()\n('2.9.1+cu128', True)\n"


def triage(*words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "dlsetup", "triage", *words]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=120, check=False)


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "a.txt").write_text(TOO_OLD)
    (folder / "b.txt").write_text(WELL)
    (folder / "c").mkdir()
    (folder / "c" / "warning.log").write_text(TOO_OLD.splitlines()[0])
    (folder / "c" / "freeze.txt").write_text("torch==2.9.1+cu128\n")
    return folder


def test_a_folder_is_a_report_a_file_and_a_report_a_folder(reports: Path) -> None:
    done = triage(str(reports), "--json", "--jobs", "1")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr
    assert [row.get("report") for row in rows[:-1]] == ["a.txt", "b.txt", "c"]
    assert [row.get("primary") for row in rows[:-1]] == ["driver-too-old", "", "driver-too-old"]
    assert rows[-1]["schema"] == "dlsetup.triage/1"
    assert {group["cause"]: group["count"] for group in rows[-1]["groups"]} == {
        "driver-too-old": 2,
        "no-error": 1,
    }


def test_lines_of_json_are_reports_and_a_broken_one_costs_itself_alone() -> None:
    issue = json.dumps({"number": 7, "title": "no GPU", "body": TOO_OLD, "comments": [{"body": "me too"}]})
    files = json.dumps({"id": "two", "files": {"run.log": TOO_OLD}})
    stdin = f'{issue}\nno json\n{files}\n{{"x": 1}}\n'.encode()
    done = triage("-", "--json", "--jobs", "1", stdin=stdin)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert [(row["report"], row["primary"]) for row in rows[:-1]] == [
        ("7", "driver-too-old"),
        ("line 2", ""),
        ("two", "driver-too-old"),
        ("line 4", ""),
    ]
    assert rows[1]["error"] == "the line is no JSON"
    assert rows[3]["error"] == "the object holds no `text`, `body` or `files`"


def test_the_table_and_the_page_hold_nothing_that_a_reader_would_obey(reports: Path, tmp_path: Path) -> None:
    (reports / "<script>\x1b[31m.txt").write_text(TOO_OLD)
    page = tmp_path / "page.html"
    done = triage(str(reports), "--html", str(page), "--jobs", "1")
    assert done.returncode == 0, done.stderr
    assert b"\x1b" not in done.stdout
    assert "3  75%  driver-too-old" in done.stdout.decode()
    text = page.read_text()
    assert "&lt;script&gt;" in text
    assert "<script" not in text
    assert "\x1b" not in text


def test_a_folder_without_reports_is_a_mistake_of_the_caller(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "absent"):
        done = triage(str(place))
        assert done.returncode == 2
        assert b"hint" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_a_process_that_dies_costs_its_report_alone(reports: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dlsetup.commands.triage import rows
    from dlsetup.intake.batch import Parcel, parcels

    pipe = reports / "b.txt"
    pipe.unlink()
    script = reports.parent / "killing.py"
    script.write_text(
        "import os, signal\n"
        "from dlsetup.commands import reader\n"
        "was = reader.Reader.row\n"
        "def row(self, parcel):\n"
        "    if parcel.name == 'a.txt':\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return was(self, parcel)\n"
        "reader.Reader.row = row\n"
    )
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(reports.parent), os.environ.get("PYTHONPATH", ""))))
    (reports.parent / "sitecustomize.py").write_text("import killing\n")
    found = list(rows([*parcels(str(reports)), Parcel("again", str(reports / "c"))], (), 1))
    assert [row.report for row in found] == ["a.txt", "c", "again"]
    assert [row.error for row in found] == ["the process that read it died", "", ""]
    assert signal.SIGKILL


def test_one_report_is_not_taken_for_lines_of_json(tmp_path: Path) -> None:
    paste = tmp_path / "issue.md"
    paste.write_text("It does not work.\n" * 3, "utf-8")
    done = triage(str(paste))
    assert done.returncode == 2
    assert b"doctor --from FILE" in done.stderr
