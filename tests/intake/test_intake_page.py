"""Texts become clean, numbered lines, whatever they were saved by."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from dlsetup.intake import texts
from dlsetup.intake.page import Page, decoded
from dlsetup.intake.texts import bounded, text_of, texts_of
from dlsetup.model.errors import UsageError


def lines(text: str) -> list[str]:
    return [line.text for line in Page(text, "x").lines]


@pytest.mark.parametrize("coding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_what_windows_writes_is_read(coding: str) -> None:
    assert (
        decoded("NAME  STATE  VERSION\r\nUbuntu Läuft 2".encode(coding))
        == "NAME  STATE  VERSION\r\nUbuntu Läuft 2"
    )


def test_bytes_that_are_no_utf_8_are_read_all_the_same() -> None:
    assert decoded(b"r\xe9pertoire introuvable") == "répertoire introuvable"


def test_colours_titles_and_invisible_marks_are_gone() -> None:
    assert lines("\x1b[1;31mred\x1b[0m \x1b]0;title\x07end\x1b(B") == ["red end"]
    assert lines("a\u202eb\u200bc\x00d\ufeff") == ["abcd"]


def test_a_bar_that_draws_over_itself_is_several_lines() -> None:
    assert lines("10%\r20%\r\nend") == ["10%", "20%", "end"]


def test_a_quoted_mail_loses_its_marks_and_a_python_session_keeps_them() -> None:
    assert lines("> a\n> > b\n> c\n> d") == ["a", "b", "c", "d"]
    assert lines(">>> a\n>>> b\n>>> c") == [">>> a", ">>> b", ">>> c"]


def test_a_line_has_its_number_and_can_be_found_again() -> None:
    page = Page("a\nb\nc", "f.txt")
    assert page.lines[1].place == "f.txt:2"
    assert page.line_at(page.text.index("b")).number == 2
    assert page.line_at(10_000).number == 3
    assert page.numbered(2) == "b"
    assert page.numbered(9) == ""


def test_of_a_huge_text_beginning_and_end_are_read_and_keep_their_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(texts, "HALF", 20)
    whole = b"".join(b"line %d\n" % number for number in range(1, 101))
    text = bounded("x", io.BytesIO(whole))
    assert text.data.startswith(b"line 1\n")
    assert text.data.endswith(b"line 100\n")
    assert len(text.data) == 40
    page = Page(text.data.decode(), "x", (text.data[:20].count(b"\n"), text.left_out))
    assert page.lines[-1].number == 100
    assert page.numbered(100) == "line 100"
    assert page.numbered(50) == ""


def test_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.log").write_text(name)
    places = [str(tmp_path / name / "run.log") for name in ("a", "b")]
    assert [text.name for text in texts_of(places)] == places
    assert [text.name for text in texts_of(places[:1])] == ["run.log"]
    assert [text.name for text in texts_of([str(tmp_path)])] == ["a/run.log", "b/run.log"]


def test_what_is_no_file_is_said(tmp_path: Path) -> None:
    for place in (tmp_path / "absent", Path("/dev/null"), Path("bad\0name")):
        with pytest.raises(UsageError):
            text_of(place)


@pytest.mark.parametrize(
    "prefix",
    [
        "[0] ",
        "[rank3]: ",
        "12: ",
        "trainer-1  | ",
        "2025-10-10T08:11:02.1931Z ",
        "2024-01-01T00:00:00Z stderr F ",
        "Oct 10 08:11:02 node1 python[4121]: ",
        "2025-10-10T08:11:02+0000 node1 python[4121]: ",
    ],
)
def test_what_runners_put_before_every_line_is_taken_away(prefix: str) -> None:
    lines = ["export CUDA_VISIBLE_DEVICES=", "python train.py", "RuntimeError: no"]
    page = Page("before\n" + "".join(f"{prefix}{line}\n" for line in lines) + "after\n", "x")
    assert [line.text for line in page.lines] == ["before", *lines, "after"]


def test_two_lines_that_look_alike_bear_no_prefix() -> None:
    text = "2: one\n3: two\nelse\n4: three\n"
    assert Page(text, "x").text == text
