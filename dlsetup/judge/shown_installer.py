"""The installer that a report itself shows: its reader has that one, and knows what it acts on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dlsetup.model.report import Command, Report

_PYTHON = re.compile(r"(?:.*[\\/])?(?:python(?:\d(?:\.\d{1,2})?)?|py)(?:\.exe)?", re.IGNORECASE)
_PIP = re.compile(r"(?P<folder>(?:.*[\\/])?)pip(?P<number>\d(?:\.\d{1,2})?)?(?:\.exe)?", re.IGNORECASE)
_CONDA = ("conda", "mamba", "micromamba")


def pip_of(report: Report) -> list[str]:
    """`uv pip`, `py -3.10 -m pip`, `python3 -m pip`, as the last install has it; empty: there is none."""
    installs = [item for item in report.commands if "install" in item.words]
    return next((found for item in reversed(installs) if (found := _pip(item.words))), [])


def names_python(words: Sequence[str]) -> bool:
    """Whether an installer says which Python it means: `py -3.10 -m pip`, `/opt/env/bin/python -m pip`."""
    return list(words) not in ([], ["uv", "pip"], ["python", "-m", "pip"], ["python3", "-m", "pip"])


def _pip(words: Sequence[str]) -> list[str]:
    if tuple(words[:2]) == ("uv", "pip"):
        return ["uv", "pip"]
    start = _behind_run(words)
    rest = words[start:]
    if not rest:
        return []
    if _PYTHON.fullmatch(rest[0]) and "-m" in rest[:4]:
        place = rest.index("-m")
        return (
            [*words[: start + place], "-m", "pip"] if tuple(rest[place + 1 : place + 2]) == ("pip",) else []
        )
    found = _PIP.fullmatch(rest[0])
    if found is None:
        return []
    return [*words[:start], f"{found['folder']}python{found['number'] or ''}", "-m", "pip"]


def _behind_run(words: Sequence[str]) -> int:
    """Where the command begins that `conda run -n NAME` runs in an environment."""
    if len(words) < 2 or words[0] not in _CONDA or words[1] != "run":
        return 0
    return next(
        (place for place, word in enumerate(words) if _PYTHON.fullmatch(word) or _PIP.fullmatch(word)), 0
    )


def tool_of(report: Report) -> Command | None:
    """The last install of a program with an environment of its own: `uv tool install`, `pipx install`. None
    where pip was used after it."""
    for item in reversed(report.commands):
        if item.words[:3] == ("uv", "tool", "install") or item.words[:2] == ("pipx", "install"):
            return item
        if "install" in item.words and _pip(item.words):
            return None
    return None


def into_tool(words: Sequence[str], requirements: Sequence[str], index: str | None) -> list[str]:
    """The command that puts requirements into the environment of such a program."""
    if words[0] == "uv":
        wished = [word for item in requirements for word in ("--with", item)]
        return [*words, "--reinstall", *(["--index", index] if index else []), *wished]
    named = next((word for word in words[2:] if not word.startswith("-")), "")
    name = re.split(r"[\[<>=~!@ ]", named)[0]
    address = ["--index-url", index] if index else []
    return ["pipx", "runpip", name, "install", "--force-reinstall", *address, *requirements] if name else []
