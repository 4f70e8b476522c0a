"""What is read where a report is named: files, pipes, folders with what cannot be read in them."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from dlsetup.intake import texts
from dlsetup.intake.texts import texts_of
from dlsetup.model.errors import UsageError


def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"torch 2.1.0+cpu\n",))
    writer.start()
    (text,) = texts_of([str(pipe)])
    writer.join()
    assert (text.name, text.data) == ("pipe", b"torch 2.1.0+cpu\n")


def test_a_pipe_into_which_somebody_writes_for_ever_comes_to_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "HALF", 1 << 10)
    monkeypatch.setattr(texts, "MOST_BYTES", 1 << 13)
    endless = tmp_path / "endless"
    endless.write_bytes(b"y\n" * (1 << 14))
    with pytest.raises(UsageError, match="holds more than"):
        texts_of([str(endless)])


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("", "without a name"),
        ("/dev/zero", "is no file and no pipe"),
        ("/nowhere/report", "there is no file"),
        ("a\0b", "cannot be read"),
    ],
)
def test_what_is_no_report_is_refused_with_the_reason(place: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        texts_of([place])


def test_a_file_that_cannot_be_read_does_not_end_its_folder(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("torch 2.1.0+cpu\n")
    (tmp_path / "gone.txt").symlink_to("nowhere")
    (tmp_path / "again").symlink_to(tmp_path)
    read = {text.name: text for text in texts_of([str(tmp_path)])}
    assert set(read) == {"a.txt", "gone.txt"}
    assert read["a.txt"].unread == ""
    assert "there is no file" in read["gone.txt"].unread


def test_a_folder_of_which_nothing_can_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "gone.txt").symlink_to("nowhere")
    with pytest.raises(UsageError, match="nothing in"):
        texts_of([str(tmp_path)])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_locked_folder_inside_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("torch 2.1.0+cpu\n")
    locked = tmp_path / "locked"
    locked.mkdir(mode=0)
    read = {text.name: text for text in texts_of([str(tmp_path)])}
    assert "Permission denied" in read["locked"].unread


def test_too_many_files_are_not_even_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "MOST_FILES", 3)
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text("x")
    with pytest.raises(UsageError, match="more than 3 files"):
        texts_of([str(tmp_path)])
