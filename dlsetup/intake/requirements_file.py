"""`requirements.txt` as pip reads it, line by line; nothing is fetched, and no variable is read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.requirements import InvalidRequirement, Requirement

from dlsetup.model.addresses import without_login
from dlsetup.model.errors import DataError
from dlsetup.model.listing import Left, Listing, Said

LONGEST = 4000
MOST_LINES = 20_000
_COMMENT = re.compile(r"(^|\s)#.*$")
_OPTION = re.compile(r"(--[a-z][a-z-]*|-[a-z])(?:\s*=\s*|\s+|$)(.*)", re.IGNORECASE | re.DOTALL)
_OF_LINE = re.compile(r"\s+--?[A-Za-z].*$", re.DOTALL)
"""Options of one requirement: `--hash=…`."""
_WORDS = {
    "-i": "index",
    "--index-url": "index",
    "--pypi-url": "index",
    "--extra-index-url": "index",
    "-r": "include",
    "--requirement": "include",
    "-c": "bound",
    "--constraint": "bound",
    "-f": "links",
    "--find-links": "links",
    "-e": "editable",
    "--editable": "editable",
}
_WHY = {
    "links": "the catalog does not know what lies there; `create env --find-links` takes it",
    "editable": "a source tree, not a release: install it into the finished environment",
    "--pre": "name the prerelease that is wanted, as in `torch==2.16.0rc1`",
    "--no-index": "`create env --offline` and `--find-links` do without an index",
}


def parse_requirements(text: str, name: str) -> Listing:
    """What the lines say; `name` is that of the file. Raises `DataError` for too many lines."""
    kinds: dict[str, list[Said]] = {"requirement": [], "index": [], "include": [], "bound": []}
    left: list[Left] = []
    for number, line in numbered_lines(text, name):
        said = parse_line(line, f"{name}, line {number}")
        if isinstance(said, Left):
            left.append(said)
        else:
            kinds[said[0]].append(said[1])
    return Listing(
        requirements=tuple(kinds["requirement"]),
        indexes=tuple(kinds["index"]),
        includes=tuple(kinds["include"]),
        bounds=tuple(kinds["bound"]),
        left=tuple(left),
    )


def parse_line(line: str, where: str) -> tuple[str, Said] | Left:
    """One line without its comment: what kind of thing it says, or why it is left."""
    shown = _shown(line)
    if len(line) > LONGEST or not line.isprintable():
        return Left(text=shown, where=where, because="it is too long or holds signs that cannot be printed")
    if re.search(r"\$\{\w+\}", line):
        return Left(text=shown, where=where, because="variables of the environment are not read")
    if option := _OPTION.fullmatch(line):
        return _option(option[1], option[2].strip().strip("\"'"), shown, where)
    return parse_one(_OF_LINE.sub("", line).strip(), where)


def parse_one(text: str, where: str) -> tuple[str, Said] | Left:
    """A requirement as PEP 508 writes it."""
    if len(text) > LONGEST or not text.isprintable():
        because = "it is too long or holds signs that cannot be printed"
        return Left(text=_shown(text), where=where, because=because)
    try:
        Requirement(text)
    except (InvalidRequirement, RecursionError):
        because = "a path or an address, not the name of a package"
        if re.match(r"[A-Za-z0-9][\w.-]*\s*([<>=!~\[;(]|$)", text):
            because = "it cannot be read as a requirement"
        return Left(text=_shown(text), where=where, because=because)
    return "requirement", Said(text=text, where=where)


def _option(word: str, value: str, shown: str, where: str) -> tuple[str, Said] | Left:
    kind = _WORDS.get(word, "")
    if kind in ("index", "include", "bound"):
        if not value:
            return Left(text=shown, where=where, because="nothing is said after it")
        if kind != "index" and "://" in value:
            return Left(text=shown, where=where, because="nothing is fetched to read it")
        return kind, Said(text=value, where=where)
    because = _WHY.get(kind) or _WHY.get(word) or "an option for pip alone"
    return Left(text=shown, where=where, because=because)


def numbered_lines(text: str, name: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers: those that end in a backslash joined, comments and empty ones left out."""
    lines = re.split(r"\r\n|\r|\n", text)
    if len(lines) > MOST_LINES:
        raise DataError(f"{name}: more than {MOST_LINES} lines")
    joined: list[str] = []
    start = 1
    for number, line in enumerate(lines, start=1):
        comment = line.lstrip().startswith("#")
        if not joined:
            start = number
        if line.endswith("\\") and not comment and number < len(lines):
            joined.append(line[:-1])
            continue
        whole = "".join((*joined, "" if comment and joined else line))
        joined = []
        bare = _COMMENT.sub("", whole).strip()
        if bare:
            yield start, bare


def _shown(text: str) -> str:
    short = without_login(text[:200])
    return short if short.isprintable() else repr(short)[1:-1]
