"""What follows from facts and words of a report, each by a rule that is named."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from dlsetup.intake.driver_inference import driver_inferences
from dlsetup.intake.fact import Fact, inferred
from dlsetup.intake.page import Line, Page
from dlsetup.intake.python_inference import python_inferences
from dlsetup.model.machine import Gpu

_SYSTEMS = (
    (
        "windows",
        r"\b[A-Z]:\\{1,2}(?:[A-Za-z0-9_.$ ()~-]{1,60}[\\>]|>|Users\b)|\b[A-Z]:/(?:Users|Windows|Program)"
        r"|WinError|win_amd64|on win32|/WDDM|\bWDDM\b|[A-Za-z0-9_]{2}\.dll\b|\bMSC v\."
        r"|Windows 1[01]|Platform: Windows|\bPS [A-Z]:\\",
    ),
    ("macos", r"\bmacOS\b|macosx_|\bDarwin\b|Apple M\d|/opt/homebrew|/Library/"),
    (
        "linux",
        r"/usr/|/opt/|/home/|/root/|/var/|/etc/|/dev/|\w\.so\b|linux-gnu|\bLinux-|manylinux|linux-64|/lib/python3|NVRM"
        r"|UNIX x86_64"
        r"|\b(?:lsmod|modinfo|mokutil|lspci|dkms|dpkg|systemctl|nouveau)\b|\bUbuntu\b"
        r"|\bDebian\b|\bCentOS\b|\bFedora\b|Red Hat|SUSE\b|Rocky Linux|AlmaLinux|Arch Linux"
        r"|\bsudo \w|\bapt(?:-get)? install|Persistence-M",
    ),
)
"""Paths, file names and words that only that system has; the first that is met counts. Each is long enough
that noise does not hold it: three letters by chance make no system."""
_ARM = re.compile(
    r"\baarch64\b|\barm64\b|\btegra\b|Jetson|\bGB10\b|\bGB[23]00\b|\bGH200\b|Grace|DGX Spark", re.IGNORECASE
)
_ARM_PLATFORM = re.compile(r"\b(?:osx|linux|win)-(?:arm64|aarch64)\b")
_OTHER_PLATFORM = re.compile(r"\b(?:linux|win|osx)-64\b")
"""Locks and manifests of conda name the platforms that they are for; several say nothing of the machine."""
_WSL = re.compile(r"microsoft-standard-WSL2|-Microsoft\b|/usr/lib/wsl/|\bWSL ?2?\b|\bwsl\.exe\b")


def inferences(pages: Sequence[Page], facts: Sequence[Fact]) -> Iterator[Fact]:
    """Facts that no tool printed."""
    lines = [line for page in pages for line in page.lines]
    known: dict[str, Any] = {fact.about: fact.value for fact in facts}
    wsl = _first(pages, _WSL)
    os = known.get("system.os")
    if os is None:
        for found in _system(pages, wsl):
            os = found.value
            yield found
    yield from driver_inferences(facts)
    if facts and "environment.path" not in known:
        yield from python_inferences(lines)
    if "system.arch" not in known:
        yield from _processor(pages, lines, os, known)
    if wsl is not None and os == "linux" and not any(name.startswith("wsl.") for name in known):
        yield inferred("wsl.version", 1 if "-Microsoft" in wsl.text else 2, wsl, "a kernel or folder of WSL")


def _system(pages: Sequence[Page], wsl: Line | None) -> Iterator[Fact]:
    """Of the systems whose marks are met the one that is met first; inside WSL it is Linux."""
    if wsl is not None and ("microsoft" in wsl.text.lower() or "/usr/lib/wsl" in wsl.text):
        yield inferred("system.os", "linux", wsl, "a kernel or folder of WSL")
        return
    for name, marks in _SYSTEMS:
        line = _first(pages, re.compile(marks))
        if line is not None:
            yield inferred("system.os", name, line, "paths and file names of that system")
            return


def _processor(
    pages: Sequence[Page], lines: Sequence[Line], os: str | None, known: dict[str, Any]
) -> Iterator[Fact]:
    """Where nothing speaks of ARM, a machine with Linux or Windows is x86_64; so are most of them."""
    several = _first(pages, _OTHER_PLATFORM) is not None
    arm = _beside_platforms(lines) if several else _first(pages, _ARM)
    if arm is not None:
        yield inferred("system.arch", "aarch64", arm, "a word for processors or boards with ARM")
    elif os in ("linux", "windows") and lines:
        yield inferred("system.arch", "x86_64", lines[0], "nothing speaks of another processor")
    elif os == "macos" and isinstance(known.get("gpu"), Gpu) and known["gpu"].vendor == "apple":
        yield inferred("system.arch", "aarch64", lines[0], "a GPU of Apple")


def _beside_platforms(lines: Sequence[Line]) -> Line | None:
    """The first line that speaks of ARM and names no platform of a lock."""
    return next(
        (line for line in lines if _ARM.search(line.text) and not _ARM_PLATFORM.search(line.text)), None
    )


def _first(pages: Sequence[Page], mark: re.Pattern[str]) -> Line | None:
    """The first line that bears the mark, which no end of a line is part of."""
    found = ((page, mark.search(page.text)) for page in pages)
    return next((page.line_at(match.start()) for page, match in found if match), None)
