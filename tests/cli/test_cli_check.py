"""`dlsetup catalog check` from outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dlsetup import cli


def test_a_good_folder_and_a_bad_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["catalog", "check", "--catalog", str(tmp_path)]) == 0
    assert f"nothing is wrong with {tmp_path}" in capsys.readouterr().out.replace("\n  ", " ")
    (tmp_path / "indexes.toml").write_text("index = 3")
    assert cli.call(["catalog", "check", "--catalog", str(tmp_path), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert not document["ok"]
    (problem,) = document["problems"]
    assert "indexes.toml" in problem


def test_a_folder_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["catalog", "check", "--catalog", "nowhere"]) == 2
    assert "nowhere" in capsys.readouterr().err
