"""Lines of text with a meaning, and the one gate through which they reach a screen."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping
from typing import Literal, TextIO

from dlsetup.model.record import Record

Style = Literal["", "title", "good", "note", "warning", "bad", "faint", "command"]

WIDTH = 80
COLOURS: dict[Style, str] = {
    "title": "bold",
    "good": "bold green",
    "note": "bold blue",
    "warning": "bold yellow",
    "bad": "bold red",
    "faint": "dim",
    "command": "cyan",
}
ESCAPES = r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_].*?(?:\x07|\x1b\\|\Z)|\x1b[ -/]*[0-~]"
PLAIN_SIGNS = {
    "✓": "ok",
    "✗": "x",
    "╰": "`-",
    "·": "-",
    "≥": ">=",
    "≤": "<=",
    "…": "...",
    "×": "x",
    "★": "*",
    "☆": ".",
}


class Line(Record, frozen=True, kw_only=True):
    """One paragraph: wrapped under its own text, with an optional mark in front.

    `style` colours the mark where there is one, else the text. What has to be pasted is not wrapped.
    """

    text: str = ""
    mark: str = ""
    indent: int = 0
    style: Style = ""
    wrap: bool = True


def command(text: str, *, indent: int = 4) -> Line:
    """A command to paste: on one line, whatever its length."""
    return Line(text=text, indent=indent, style="command", wrap=False)


def clean(text: str) -> str:
    """The text without control characters, escape sequences and invisible direction marks.

    Names, versions and messages come from files that anyone may have written.
    """
    if text.isprintable():
        return text
    bare = re.sub(ESCAPES, "", text, flags=re.DOTALL)
    return "".join(char if char.isprintable() else " " if char.isspace() else "" for char in bare)


def render(line: Line, width: int = WIDTH) -> list[tuple[str, str]]:
    """The rows of a line, each as what stands before the text (spaces and mark) and the text."""
    mark = f"{clean(line.mark)} " if line.mark else ""
    first = " " * line.indent + mark
    text = clean(line.text)
    if not line.wrap or len(first) + len(text) <= width:
        return [(first, text)]
    room = max(width - len(first), 20)
    rows = textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False) or [""]
    return [(first if number == 0 else " " * len(first), row) for number, row in enumerate(rows)]


def plain(lines: Iterable[Line], width: int = WIDTH) -> str:
    """All lines as plain text."""
    rows = ((before + text).rstrip() for line in lines for before, text in render(line, width))
    return "".join(f"{row}\n" for row in rows)


def write(
    lines: Iterable[Line], stream: TextIO | None = None, environ: Mapping[str, str] | None = None
) -> None:
    """Print lines: with colour on a terminal that wants it, the same text without it anywhere else."""
    target = sys.stdout if stream is None else stream
    words = os.environ if environ is None else environ
    if not target.isatty():
        target.write(speakable(plain(lines), target.encoding))
        return
    width = max(40, min(shutil.get_terminal_size((WIDTH, 24)).columns, 100))
    if wants_colour(words):
        _write_coloured(lines, target, width)
    else:
        target.write(speakable(plain(lines, width), target.encoding))


def wants_colour(environ: Mapping[str, str]) -> bool:
    """False where `NO_COLOR` is set to anything or the terminal is dumb."""
    return not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def speakable(text: str, encoding: str | None) -> str:
    """The text in signs that the encoding has: a pipe on Windows often has no `✓`."""
    try:
        text.encode(encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        for sign, words in PLAIN_SIGNS.items():
            text = text.replace(sign, words)
        return text.encode("ascii", "replace").decode("ascii")
    return text


def _write_coloured(lines: Iterable[Line], stream: TextIO, width: int) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, width=width, highlight=False, soft_wrap=True)
    for line in lines:
        colour = COLOURS.get(line.style, "")
        for before, text in render(line, width):
            row = Text()
            row.append(speakable(before, stream.encoding), style=colour if line.mark else "")
            row.append(speakable(text, stream.encoding), style="" if line.mark else colour)
            console.print(row)
