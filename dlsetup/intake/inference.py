"""What follows from facts and words of a report, each by a rule that is named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dlsetup.intake.fact import Fact, inferred
from dlsetup.intake.page import Line, Page

_SYSTEMS = {
    "windows": ("C:\\", "D:\\", "WinError", "win_amd64", "on win32", "WDDM", ".dll", "Windows 1"),
    "macos": ("macOS", "macosx_", "Darwin", "Apple M", "mps"),
    "linux": (
        "/usr/",
        "/opt/",
        "/home/",
        ".so.",
        "linux-gnu",
        "Linux-",
        "manylinux",
        "/lib/python3",
        "NVRM version",
        "UNIX x86_64",
    ),
}


def inferences(pages: Sequence[Page], facts: Sequence[Fact]) -> Iterator[Fact]:
    """Facts that no tool printed."""
    known = {fact.about for fact in facts}
    if "system.os" not in known:
        yield from _system(pages)


def _system(pages: Sequence[Page]) -> Iterator[Fact]:
    for name, marks in _SYSTEMS.items():
        line = next((line for page in pages for line in page.lines if _any(line, marks)), None)
        if line is not None:
            yield inferred("system.os", name, line, "paths and file names of that system")
            return


def _any(line: Line, marks: Sequence[str]) -> bool:
    return any(mark in line.text for mark in marks)
