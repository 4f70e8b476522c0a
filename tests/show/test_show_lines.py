"""Nothing that a terminal obeys reaches it; the same text with and without colour; it fits the width."""

from __future__ import annotations

import io
import re
import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from dlsetup.show.lines import Line, clean, command, plain, render, speakable, wants_colour, write

HOSTILE = st.text(st.one_of(st.characters(), st.sampled_from("\x1b\x07\x9b\u202e\u2066\u200b\r\b[]m;0")))


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def obeyed(text: str) -> list[str]:
    """Signs that a terminal could obey or that turn the order of others."""
    return [
        sign for sign in text if unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Zl", "Zp") and sign != "\n"
    ]


@given(HOSTILE)
@example("\x1b]8;;http://evil.example\x07click\x1b]8;;\x07")
@example("\x1b]0;title")
@example("\x9b31mred")
@example("safe\u202egpj.exe")
def test_no_sign_that_a_terminal_obeys_is_left(text: str) -> None:
    assert not obeyed(clean(text))
    assert not obeyed(plain([Line(text=text, mark=text, indent=2), command(text)]))
    assert clean(clean(text)) == clean(text)


def test_whole_escape_sequences_go_and_words_stay() -> None:
    assert clean("a\x1b[31;1mred\x1b[0m b") == "ared b"
    assert clean("\x1b]8;;http://evil.example\x07click\x1b]8;;\x07") == "click"
    assert clean("one\ntwo\tthree\xa0four") == "one two three four"
    assert clean("GeForce RTX™ 4090 – 24 GiB") == "GeForce RTX™ 4090 – 24 GiB"


@given(st.text(st.sampled_from("ab c"), max_size=200), st.integers(0, 10), st.integers(40, 100))
def test_rows_fit_the_width(text: str, indent: int, width: int) -> None:
    rows = render(Line(text=text, mark="✗", indent=indent), width)
    for before, row in rows:
        assert len(before + row) <= width or " " not in row
    words = " ".join(row for _, row in rows).split()
    assert words == text.split()


def test_following_rows_stand_under_the_text_and_commands_stay_whole() -> None:
    long = "word " * 30
    rows = plain([Line(mark="✗", text=long), command("pip install " + "x" * 100)]).splitlines()
    assert rows[0].startswith("✗ word")
    assert rows[1].startswith("  word")
    assert rows[-1] == "    pip install " + "x" * 100


def test_colour_changes_no_word() -> None:
    lines = [Line(mark="✗", text="a [bold]driver[/bold] is too old " * 6, style="bad"), command("do  it")]
    screen = Terminal()
    write(lines, screen, {"TERM": "xterm-256color", "COLUMNS": "80"})
    coloured = screen.getvalue()
    assert "\x1b[" in coloured
    bare = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    quiet = Terminal()
    write(lines, quiet, {"NO_COLOR": "1"})
    assert "\x1b" not in quiet.getvalue()
    assert [row.rstrip() for row in bare.splitlines()] == quiet.getvalue().splitlines()


def test_colour_is_left_out_where_it_is_not_wanted() -> None:
    assert wants_colour({})
    assert not wants_colour({"NO_COLOR": "1"})
    assert not wants_colour({"TERM": "dumb"})


def test_a_pipe_gets_plain_text() -> None:
    stream = io.StringIO()
    write([Line(mark="✓", text="well", style="good")], stream, {})
    assert stream.getvalue() == "✓ well\n"


@given(st.text())
def test_every_encoding_is_served(text: str) -> None:
    speakable(text, "ascii").encode("ascii")
    assert speakable(text, None) == text
    assert speakable("✗ broken", "cp1252") == "x broken"
    assert speakable("✗ broken", "utf-8") == "✗ broken"
