"""A file that is there whole or not at all, and nothing else replaced by it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from dlsetup.act.saving import save, save_all
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


def test_several_files_are_all_written_and_keep_their_permissions(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    (tmp_path / "a").chmod(0o640)
    save_all({tmp_path / "a": "new", tmp_path / "b": "line\r\nend\n"})
    assert (tmp_path / "a").read_text() == "new"
    assert (tmp_path / "b").read_bytes() == b"line\r\nend\n"
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640
    assert sorted(item.name for item in tmp_path.iterdir()) == ["a", "b"]


def test_where_one_cannot_be_written_none_is(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    (tmp_path / "c").mkdir()
    with pytest.raises(StepFailed, match="is a folder"):
        save_all({tmp_path / "a": "new", tmp_path / "b": "new", tmp_path / "c": "new"})
    assert (tmp_path / "a").read_text() == "old"
    assert sorted(item.name for item in tmp_path.iterdir()) == ["a", "c"]


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_what_was_replaced_is_put_back_where_a_later_one_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    (tmp_path / "a").write_text("old a")
    (tmp_path / "c").write_text("old c")
    replace, calls = os.replace, iter(range(9))

    def some_fail(source: object, place: object) -> None:
        if next(calls) == failing:
            raise OSError(28, "No space left on device")
        replace(source, place)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "replace", some_fail)
    with pytest.raises(StepFailed, match="No space left"):
        save_all({tmp_path / name: "new" for name in "abc"})
    assert {item.name: item.read_text() for item in tmp_path.iterdir()} == {"a": "old a", "c": "old c"}


def test_text_that_is_no_text_is_told(tmp_path: Path) -> None:
    with pytest.raises(StepFailed, match="cannot write"):
        save(tmp_path / "a", "\udcff")
    assert list(tmp_path.iterdir()) == []
