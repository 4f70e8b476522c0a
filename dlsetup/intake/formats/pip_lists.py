"""What pip and uv list: `pip list`, `pip freeze`, `pip show`, the changes that uv prints.

Package      Version
------------ ----------
torch        2.9.1+cu130

torch==2.9.1+cu130

Name: torch
Version: 2.9.1

 + torch==2.8.0
 - torch==2.7.1

  - Installing torch (2.8.0)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact, in_words, shown
from dlsetup.intake.packages import canonical, installed
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads
from dlsetup.model.report import Asked

_NAME = r"([A-Za-z0-9][\w.-]{0,80})"
_ROW = re.compile(rf"^\s{{0,8}}{_NAME}\s+(\d[\w.+!-]{{0,50}})(?:\s+\S.*)?$")
_RULE = re.compile(r"^\s{0,8}-{3,}\s+-{3,}")
_PIN = re.compile(rf"^\s{{0,8}}{_NAME}(?:\[[^\]]{{0,60}}\])?==(\d[\w.+!-]{{0,50}})\s*(?:;.*|#.*)?$")
_LOOSE = re.compile(
    rf"^\s{{0,8}}{_NAME}(?:\[[^\]]{{0,60}}\])?\s*([<>~!=]=?\s*[\d*][^#;]{{0,60}})?\s*(?:;.*|#.*)?$"
)
_POETRY = re.compile(
    rf"^\s{{0,8}}[-•*] (?:Installing|Updating|Upgrading) {_NAME} \((?:\S{{1,40}} -> )?(\d[\w.+!-]{{0,50}})\)"
)
_CHANGE = re.compile(rf"^\s{{0,8}}([+~-]) {_NAME}==(\d[\w.+!-]{{0,50}})(?: \(from .{{0,300}}\))?\s*$")
_SHOWN = re.compile(r"^\s{0,8}(Name|Version): (\S{1,80})\s*$")
_OPTION = re.compile(r"^\s{0,8}(?:-r|-c|-e|-f|-i|--[\w-]+)\b")


@reads("pip list", "---")
def pip_list(page: Page) -> Iterator[Fact]:
    """Rows under the rule of the table, up to the first line that is none.

    With a head and pip itself in it, nobody has picked out rows.
    """
    inside = False
    for before, line in zip(page.lines, page.lines[1:], strict=False):
        if _RULE.match(line.text):
            inside = "package" in before.text.lower()
            continue
        row = _ROW.match(line.text) if inside else None
        inside = row is not None
        if row:
            yield from installed(row[1], row[2], line)
            if row[1] == "pip":
                yield shown("environment.complete", True, line)


@reads("pip freeze or requirements", "==")
def pins(page: Page) -> Iterator[Fact]:
    """Exact pins are what is installed; beside ranges and bare names they are what a file asks for."""
    block: list[Line] = []
    for line in page.lines:
        if _PIN.match(line.text) or _LOOSE.match(line.text) or _OPTION.match(line.text):
            block.append(line)
        elif line.text.strip() and not line.text.lstrip().startswith("#"):
            yield from _block(block)
            block = []
    yield from _block(block)


@reads("uv's changes", " + ", " - ", " ~ ")
def changes(page: Page) -> Iterator[Fact]:
    """What an installer put there; what it took away later is no longer there."""
    there: dict[str, tuple[str, Line]] = {}
    for line in page.lines:
        found = _CHANGE.match(line.text)
        if found and found[1] != "-":
            there[found[2]] = (found[3], line)
        elif found and there.get(found[2], ("", line))[0] == found[3]:
            there.pop(found[2], None)
    for name, (version, line) in there.items():
        yield from installed(name, version, line)


@reads("poetry's changes", "Installing ", "Updating ", "Upgrading ")
def poetry(page: Page) -> Iterator[Fact]:
    """`- Installing nvidia-cudnn-cu12 (9.3.0.75)`."""
    for line in page.lines:
        if found := _POETRY.match(line.text):
            yield from installed(found[1], found[2], line)


@reads("pip show", "Name: ")
def pip_show(page: Page) -> Iterator[Fact]:
    name = ""
    for line in page.lines:
        found = _SHOWN.match(line.text)
        if found and found[1] == "Name":
            name = found[2]
        elif found and name:
            yield from installed(name, found[2], line)
            name = ""


def _block(lines: list[Line]) -> Iterator[Fact]:
    """Some lines that stand together."""
    exact = [line for line in lines if _PIN.match(line.text)]
    options = any(_OPTION.match(line.text) for line in lines)
    if not exact:
        return
    if len(exact) == len(lines) and not options:
        for line in exact:
            found = _PIN.match(line.text)
            if found:
                yield from installed(found[1], found[2], line)
    for line in lines:
        found = _PIN.match(line.text) or _LOOSE.match(line.text)
        if found and (len(exact) != len(lines) or options):
            specifier = f"=={found[2]}" if _PIN.match(line.text) else (found[2] or "").strip()
            asked = Asked(name=canonical(found[1]), specifier=specifier, source=line.place)
            yield in_words("asked", asked, line)
