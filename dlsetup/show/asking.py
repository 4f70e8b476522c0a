"""Questions with numbered answers, asked on standard error of somebody who sits there."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from dlsetup.model.errors import UsageError
from dlsetup.show.lines import Line, write

TRIES = 3
Answer = TypeVar("Answer")


def ask_one(question: str, answers: Sequence[tuple[str, str]], default: str) -> str:
    """The name of one answer out of (name, words); an empty line is the default."""
    _pose(question, answers)
    return _asked(f"number [{_number(default, answers)}]", lambda text: _one(text or default, answers))


def ask_some(question: str, answers: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """The names of any number of answers; an empty line is none."""
    _pose(question, answers)
    return _asked("numbers [none]", lambda text: tuple(_one(word, answers) for word in _words(text)))


def ask_words(question: str, read: Callable[[str], Answer]) -> Answer:
    """What `read` makes of a line; what it refuses with a `UsageError` is asked again."""
    return _asked(question, read)


def _pose(question: str, answers: Sequence[tuple[str, str]]) -> None:
    lines = [Line(), Line(text=question, style="title")]
    lines += [Line(mark=f"{number:>2}.", text=words) for number, (_, words) in enumerate(answers, start=1)]
    write(lines, sys.stderr)


def _asked(prompt: str, read: Callable[[str], Answer]) -> Answer:
    for left in reversed(range(TRIES)):
        sys.stderr.write(f"{prompt}: ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:  # Ctrl-D: whoever goes away is not asked on
            raise KeyboardInterrupt
        try:
            return read(line.strip())
        except UsageError as error:
            if not left:
                raise
            write([Line(mark="!", text=f"{error.message}: {error.hint}", style="warning")], sys.stderr)
    raise AssertionError


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[\s,]+", text) if word]


def _one(text: str, answers: Sequence[tuple[str, str]]) -> str:
    names = [name for name, _ in answers]
    if text in names:
        return text
    if re.fullmatch(r"[0-9]{1,3}", text) and 1 <= int(text) <= len(names):
        return names[int(text) - 1]
    raise UsageError(f"`{text[:40]}` is no answer", hint=f"write a number from 1 to {len(names)}")


def _number(name: str, answers: Sequence[tuple[str, str]]) -> int:
    return [item for item, _ in answers].index(name) + 1
