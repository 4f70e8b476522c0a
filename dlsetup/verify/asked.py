"""A child of an environment that is asked one thing: its one line of JSON, or why there is none."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.probe.programs import Outcome as Ended
from dlsetup.probe.programs import signal_name

PROGRAMS = Path(__file__).parent
"""The folder with all that runs in children."""
CHILD = str(PROGRAMS / "child.py")
_LONGEST = 600
_STACK = re.compile(r"^(?:Current thread|Thread) \S+.*?:\n((?:  .*\n?)+)", re.MULTILINE)
_INNER_STACK = re.compile(r"\n[^\n]{0,40}Traceback \(most recent call last\):\n(?:[ \t][^\n]*(?:\n|$))+")
_PACKAGES = ("site-packages", "dist-packages")
_FRAME = re.compile(r'^  File "(.+)", line (\d+) in (\S+)', re.MULTILINE)


class Runner(Protocol):
    """Where the children run: a host, or an image."""

    def run(self, argv: Sequence[str], deadline: float) -> Ended:
        """Runs a program for at most so many seconds."""


class Answer(NamedTuple):
    """What a child said; `told` is empty and `silence` says why where it said nothing."""

    told: dict[str, Any]
    ended: Ended
    silence: str = ""

    @property
    def error(self) -> str:
        """Why it is not well; empty where it is."""
        return self.silence or short(_unstacked(str(self.told.get("error", ""))))

    def text(self, name: str) -> str | Unknown:
        """A value that is text and not empty."""
        value = self.told.get(name)
        return short(value) if isinstance(value, str) and value else UNKNOWN

    def texts(self, name: str) -> tuple[str, ...] | Unknown:
        """A list, its items as text."""
        value = self.told.get(name)
        return tuple(short(str(item)) for item in value) if isinstance(value, list) else UNKNOWN

    def number(self, name: str) -> float | Unknown:
        """A number above zero."""
        value = self.told.get(name)
        return value if isinstance(value, (int, float)) and value > 0 else UNKNOWN


def ask(
    runner: Runner,
    python: str,
    kind: Literal["look", "prove", "measure"],
    name: str,
    deadline: float,
    said: Mapping[str, Any] | None = None,
) -> Answer:
    """Runs `child.py` for at most so many seconds. Never raises for what the child does.

    `said`: what a program that measures is told. It writes what it knows so far, so that an answer may be
    there although the child did not end well.
    """
    words = () if said is None else (json.dumps(said),)
    ended = runner.run((python, "-I", CHILD, kind, name, str(int(deadline)), *words), deadline)
    told = _told(ended.out)
    if told is None:
        return Answer({}, ended, _silence(name, ended))
    return Answer(told, ended, _silence(name, ended) if told.get("unfinished") else "")


def _told(out: str) -> dict[str, Any] | None:
    """The last line that is a JSON object."""
    for line in reversed(out.splitlines()):
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            return found
    return None


def _silence(name: str, ended: Ended) -> str:
    """Why a child ended without an answer."""
    if ended.code is None:
        place = _standing(ended.err)
        return f"{ended.reason}; it stood in {place}" if place else ended.reason
    place = f" in {found}" if (found := _standing(ended.err)) else _last_words(ended)
    if ended.code < 0:
        return f"the import or the computation ended with {signal_name(-ended.code)}{place}"
    return f"the check of `{name}` ended with exit code {ended.code}{_last_words(ended)}"


def _standing(err: str) -> str:
    """The innermost line of Python of the main thread, where faulthandler wrote the stacks; it comes last.

    Where that is in the standard library, the line of a package that leads there is named too.
    """
    stacks = _STACK.findall(err)
    frames = _FRAME.findall(stacks[-1]) if stacks else []
    places = [f"{path}:{line}, `{name}`" for path, line, name in frames]
    ours = (place for place in places if any(part in place for part in _PACKAGES))
    return short(", called from ".join(dict.fromkeys((*places[:1], *list(ours)[:1]))))


def _last_words(ended: Ended) -> str:
    lines = [line for line in ended.err.splitlines() if line.strip()]
    return f": {short(lines[-1])}" if lines else ""


def _unstacked(text: str) -> str:
    """Without stacks that an error of another process brings along: they stand before its reason."""
    return _INNER_STACK.sub("\n", text)


def short(text: str) -> str:
    """On one line and of bounded length."""
    words = " ".join(text.split())
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"
