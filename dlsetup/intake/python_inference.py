"""Which Python a report is about, by the folders that its tracebacks name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dlsetup.intake.fact import Fact, inferred
from dlsetup.intake.page import Line

_POSIX = re.compile(r"(?<![\w./~-])((?:/[\w.@+-]{1,80}){1,12})/lib(?:64)?/python3\.\d{1,2}t?/site-packages\b")
_WINDOWS = re.compile(r"\b([A-Za-z]:(?:\\[\w.+-]{1,80}){1,12})\\[Ll]ib\\site-packages\b")
_EXECUTABLE = re.compile(
    r"Python executable: ((?:/|[A-Za-z]:\\)\S{1,200}[\\/]python[\d.]{0,5}(?:\.exe)?)\s*$"
)
_CONDA = re.compile(
    r"[\\/]\.?(?:ana|mini|micro)?(?:conda|mamba|forge)\w*(?:[\\/]|$)|[\\/]envs[\\/]", re.IGNORECASE
)
_NOBODYS = re.compile(r"^/usr(?:$|/)|^/nix/|^/tmp/|/\.local$|pip-build-env|/pkgs/|/work/|<")
"""Of the system, of the user, of a build: none is an environment that an installer is pointed to."""
_BASE = re.compile(r"python[\d.]*|python_embed+ed", re.IGNORECASE)
RULE = "the one environment whose files are named"


def python_inferences(lines: Sequence[Line]) -> Iterator[Fact]:
    """The environment in which all lies that is named of site-packages; its interpreter, if it is named."""
    found: dict[str, tuple[str, Line]] = {}
    for line in lines:
        if "Python executable:" in line.text and (said := _EXECUTABLE.search(line.text)):
            yield inferred("environment.path", said[1], line, "the interpreter that a program names")
            return
        if "site-packages" in line.text:
            for match in (*_POSIX.finditer(line.text), *_WINDOWS.finditer(line.text)):
                found.setdefault(match[1].lower(), (match[1], line))
        if len(found) > 1:
            return
    for folder, line in found.values():
        yield from _of(folder, line)


def _of(folder: str, line: Line) -> Iterator[Fact]:
    if _NOBODYS.search(folder):
        return
    conda = _CONDA.search(folder) is not None
    name = re.split(r"[\\/]", folder)[-1]
    if ":" in folder and not conda:
        if _BASE.fullmatch(name):
            yield inferred("environment.path", f"{folder}\\python.exe", line, RULE)
        elif "venv" in name.lower():
            yield inferred("environment.path", folder, line, RULE)
        return
    yield inferred("environment.path", folder, line, RULE)
    if conda:
        yield inferred("environment.kind", "conda", line, "the name of its folder")
