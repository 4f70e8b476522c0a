"""A user without a name and a home, as in a container that is started with a bare number."""

from __future__ import annotations

import json
import pwd
from pathlib import Path

import pytest

from dlsetup import cli
from dlsetup.catalog.folders import user_folder
from dlsetup.catalog.refresh import Errand, refresh
from dlsetup.model.errors import UsageError
from dlsetup.show import failure


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(number: int) -> None:
        raise KeyError(f"getpwuid(): uid not found: {number}")

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    for name in ("HOME", "LOGNAME", "USER", "LNAME", "USERNAME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)


def test_the_doctor_looks_and_saves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "m.json"
    assert cli.call(["doctor", "--save-machine", str(saved)]) in (0, 1)
    told = capsys.readouterr()
    assert told.out.startswith("This machine\n")
    assert told.err == ""
    assert json.loads(saved.read_text())["schema"] == "dlsetup.machine/1"


def test_the_catalog_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert user_folder() is None
    assert cli.call(["resolve", "torch", "--target", "os=linux,arch=x86_64,glibc=2.36", "--cpu"]) == 0
    assert "torch" in capsys.readouterr().out


def test_a_refresh_has_no_place_to_write_to() -> None:
    with pytest.raises(UsageError, match="no home folder"):
        refresh(Errand(names=("torch",)))


def test_a_report_of_a_fault_needs_no_home() -> None:
    assert "RuntimeError: x" in failure.report(RuntimeError("x"), ["doctor"])
