"""A file that is there whole or not at all, and nothing else replaced by it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from dlsetup.act.saving import save
from dlsetup.model.errors import StepFailed


def test_an_older_file_is_replaced_and_no_trace_left(tmp_path: Path) -> None:
    place = tmp_path / "m.json"
    place.write_text("old and longer")
    save(place, "new")
    assert place.read_text() == "new"
    assert list(tmp_path.iterdir()) == [place]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "m.json"
    link.symlink_to(tmp_path / "there/real.json")
    save(link, "new")
    assert link.is_symlink()
    assert (tmp_path / "there/real.json").read_text() == "new"


def test_a_pipe_or_a_device_is_never_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    link = tmp_path / "link"
    link.symlink_to(pipe)
    for place in (pipe, link):
        with pytest.raises(StepFailed, match="no plain file"):
            save(place, "new")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(item.name for item in tmp_path.iterdir()) == ["link", "pipe"]


@pytest.mark.parametrize("name", ["", "/"])
def test_a_folder_is_named_as_the_reason(tmp_path: Path, name: str) -> None:
    with pytest.raises(StepFailed, match="is a folder"):
        save(tmp_path / name, "new")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to every file")
def test_a_read_only_file_keeps_its_content(tmp_path: Path) -> None:
    place = tmp_path / "m.json"
    place.write_text("old")
    place.chmod(0o444)
    with pytest.raises(StepFailed, match="read-only"):
        save(place, "new")
    assert place.read_text() == "old"


def test_a_name_as_long_as_the_system_admits(tmp_path: Path) -> None:
    save(tmp_path / ("x" * 250), "new")
    assert (tmp_path / ("x" * 250)).read_text() == "new"


@pytest.mark.parametrize("name", ["no/m.json", "x" * 300, "loop"])
def test_what_cannot_be_written_is_told_and_nothing_is_left(tmp_path: Path, name: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(StepFailed, match="cannot write"):
        save(tmp_path / name, "new")
    assert [item.name for item in tmp_path.iterdir()] == ["loop"]
