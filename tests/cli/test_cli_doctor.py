"""The doctor from outside: this machine, saved machines, other environments, in words and as a document."""

from __future__ import annotations

import getpass
import json
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dlsetup import cli
from dlsetup.model import codec
from dlsetup.model.machine import Machine
from dlsetup.show.json import DoctorDocument

MACHINES = sorted((Path(__file__).parents[1] / "machines").glob("*/machine.json"))


@pytest.mark.parametrize("path", MACHINES, ids=lambda path: path.parent.name)
def test_words_document_and_exit_code_say_the_same(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = cli.call(["doctor", "--machine", str(path), "--json"])
    told = codec.decode(capsys.readouterr().out, DoctorDocument, where=path.parent.name)
    assert cli.call(["doctor", "--machine", str(path)]) == code
    words = capsys.readouterr().out
    assert code == (0 if told.ok else 1)
    assert told.ok == (not any(item.severity == "error" for item in told.findings))
    assert all(f"[{item.id}]" in words for item in told.findings)
    assert all(gap.fact in words for gap in told.unknown)
    last = words.rpartition("\n\n")[2]
    assert last.startswith(("✓ ", "! ") if told.ok else "✗ ")
    assert cli.call(["doctor", "--machine", str(path), "-v"]) == code


def test_this_machine_is_saved_without_names_and_read_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "my machine.json"
    first = cli.call(["doctor", "--save-machine", str(saved), "--json"])
    seen = json.loads(capsys.readouterr().out)
    text = saved.read_text(encoding="utf-8")
    assert codec.decode(text, Machine, where="saved").system.os == seen["machine"]["system"]["os"]
    assert f"{Path.home()}/" not in text
    for name in (getpass.getuser(), socket.gethostname()):
        assert len(name) < 3 or f"/{name}/" not in text
    assert cli.call(["doctor", "--machine", str(saved), "--json"]) == first
    again = json.loads(capsys.readouterr().out)
    assert [item["id"] for item in again["findings"]] == [item["id"] for item in seen["findings"]]
    assert list(tmp_path.iterdir()) == [saved]


def test_another_environment_is_looked_at_by_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "other env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    cli.call(["doctor", "--env", str(place), "--json"])
    machine = codec.convert(json.loads(capsys.readouterr().out)["machine"], Machine, where="here")
    assert machine.environment is not None
    assert Path(machine.environment.path) == place
    assert machine.environment.distributions == ()


def test_a_hostile_machine_file_costs_neither_time_nor_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "hostile.json"
    gpus = [{"vendor": "nvidia", "name": "\x1b[2J\u202eevil\x9b31m" * 50, "arch": "sm_89"}] * 200
    environment = {
        "path": "/tmp/$(touch pwned)", "kind": "venv", "python": "3.12.0", "examined": True,
        "distributions": [{"name": "torch", "version": "2.14.1", "variant": "$(id)\n`id`"}] * 200,
    }  # fmt: skip
    path.write_text(json.dumps({"schema": "dlsetup.machine/1", "gpus": gpus, "environments": [environment]}))
    begun = time.monotonic()
    for more in ([], ["-v"], ["--json"]):
        assert cli.call(["doctor", "--machine", str(path), *more]) in (0, 1)
        told = capsys.readouterr().out
        assert not [sign for sign in told if not sign.isprintable() and sign != "\n"]
    assert time.monotonic() - begun < 20


def test_the_doctor_imports_no_framework_and_no_screen() -> None:
    words = "import sys; from dlsetup.cli import call; call(['doctor']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, timeout=60)
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert "dlsetup" in loaded
    assert not loaded & {"torch", "tensorflow", "jax", "numpy", "rich", "pydantic", "pysat"}


@pytest.mark.parametrize(
    ("relative", "text"),
    [
        ("frameworks/torch.toml", "name = "),
        ("frameworks/mine.toml", 'name = "other"\n'),
        ("generated/torch.json", "{"),
        ("generated/torch.json", '{"distribution": "torch", "checked": "2026-12-02", "releases": [{}]}'),
        ("measured/torch.json", "[]"),
        ("hardware/cuda.toml", "toolkit = 3"),
    ],
)
def test_a_malformed_file_of_the_catalog_hides_only_what_it_knows(
    relative: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = Path(__file__).parents[1] / "machines/linux-v100-cu130/machine.json"
    path = tmp_path / relative
    path.parent.mkdir()
    path.write_text(text)
    cli.call(["doctor", "--machine", str(machine), "--catalog", str(tmp_path), "--json"])
    told = codec.decode(capsys.readouterr().out, DoctorDocument, where="told")
    gap = next(gap for gap in told.unknown if gap.fact == "part of the catalog")
    assert relative in gap.reason
    assert gap.ask == "dlsetup catalog check"
    if not relative.startswith("generated"):
        assert not told.ok
