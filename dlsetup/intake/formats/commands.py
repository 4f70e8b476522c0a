"""Commands that install something, wherever they stand: a shell's history, a README, a Dockerfile, an issue.

$ pip install torch==2.9.0 torchvision --index-url https://download.pytorch.org/whl/cu130
PS C:\\app> .\\python_embeded\\python.exe -m pip install --upgrade torch
RUN conda install -y pytorch==1.9.0 cudatoolkit=11.3 -c pytorch
uv pip install sleap-nn
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Literal

from msgspec.structs import replace

from dlsetup.intake.fact import Fact, shown
from dlsetup.intake.packages import asked_of_conda, canonical
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads
from dlsetup.model.report import Asked, Command

_START = re.compile(
    r"(?:^|[\s`;&|>$#(!%\"'])(?P<tool>(?:\S{0,120}[\\/])?(?:pip[\d.]{0,5}|uv|conda|mamba|micromamba|poetry|pixi)(?:\.exe)?"
    r"|(?:\S{0,120}[\\/])?python[\d.]{0,5}w?(?:\.exe)? -m pip)\s+(?=\S)"
)
_VERBS = ("install", "add", "create", "update", "sync", "upgrade")
_REQUIREMENT = re.compile(
    r"^([A-Za-z0-9][\w.-]{0,80})(?:\[([^\]]{0,80})\])?\s*((?:[=<>!~]=?|===)\s*[\w.*+!,<>=~ -]{1,80})?$"
)
_WHEEL = re.compile(r"([A-Za-z0-9][\w.]{0,60})-(\d[\w.+!]{0,60})-\S{1,60}\.whl")
_VALUED = {
    "--index-url",
    "-i",
    "--extra-index-url",
    "--index",
    "--default-index",
    "-f",
    "--find-links",
    "-c",
    "--channel",
    "-r",
    "--requirement",
    "--constraint",
    "-n",
    "--name",
    "-p",
    "--prefix",
    "--python",
    "--target",
    "-t",
    "--file",
    "--env",
    "--group",
    "--extra",
    "--torch-backend",
}
_CONDA = ("conda", "mamba", "micromamba", "pixi")
_OF_A_BUILD = re.compile(r"^\s{0,4}RUN\s")
_END = re.compile(r"\s(?:&&|\|\||;|#|2?>>?|\|)(?:\s|$)|;\s|&&|`(?:\s|$|[.,)])")
_BLANKS = re.compile(r"[ \t\r\n]+")
MOST_WORDS = 80
MOST_WITHIN = 3
"""Commands in the words of another one."""


@reads("install commands", "install", " add ", "create", " sync", " update")
def commands(page: Page) -> Iterator[Fact]:
    """Every command with what it asks for, in the order of the page; lines that end in `\\` go on."""
    for line, text in _joined(page):
        for words in _commands(text):
            if len(words) > 1 and any(word in _VERBS for word in words[1:5]):
                kind: Literal["shell", "build"] = "build" if _OF_A_BUILD.match(text) else "shell"
                yield shown("command", Command(words=words, kind=kind, source=line.place), line)
                yield from _asked(words, line)


def _joined(page: Page) -> Iterator[tuple[Line, str]]:
    """Lines that hold a command, with those that they go on in."""
    waiting = ""
    first: Line | None = None
    for line in page.lines:
        text = line.text.rstrip()
        if waiting and text.lstrip().startswith("#"):
            continue
        first = first or line
        if text.endswith("\\") and len(waiting) < 4000:
            waiting += text[:-1] + " "
            continue
        whole = waiting + text
        if any(f"{verb} " in f"{whole} " for verb in _VERBS) and "Requirement already" not in whole:
            yield first, whole[:4000]
        waiting, first = "", None


def _commands(text: str) -> Iterator[tuple[str, ...]]:
    """The words of each command in a line. What stands in the words of another one (`conda run -n x pip …`)
    is one as well, but not without end: the words of the outer one tell of all that is in it."""
    over = within = 0
    for found in _START.finditer(text):
        begin = found.start("tool")
        within = within + 1 if begin < over else 0
        if within > MOST_WITHIN:
            continue
        end = _END.search(text, begin)
        over = max(over, end.start() if end else len(text))
        yield _split(text[begin : end.start() if end else None].strip("`"))


def _split(text: str) -> tuple[str, ...]:
    """Words of one command; a quotation that does not close is no reason to give up."""
    if "'" not in text and '"' not in text:
        words = [word for word in _BLANKS.split(text) if word]
    else:
        try:
            words = shlex.split(text, posix="\\" not in text)
        except ValueError:
            words = text.split()
    return tuple(word.strip("'\"`,") for word in words[:MOST_WORDS] if word.strip("'\"`,"))


def _asked(words: tuple[str, ...], line: Line) -> Iterator[Fact]:
    tool = re.split(r"[\\/]", words[0])[-1].removesuffix(".exe")
    conda = tool in _CONDA
    index = _value(
        words, *(("-c", "--channel") if conda else ("--index-url", "-i", "--index", "--default-index"))
    )
    beside = not index and not conda
    if beside:
        index = _value(words, "--extra-index-url", "-f", "--find-links")
    skip = False
    begun = False
    for word in words[1:]:
        if skip:
            skip = False
        elif word in _VALUED:
            skip = True
        elif word in _VERBS:
            begun = True
        elif begun and not word.startswith("-"):
            item = _conda_spec(word, index, line) if conda else _pip_spec(word, index, line)
            if item is not None:
                yield shown("asked", replace(item, beside=beside and bool(index)), line)


def _value(words: tuple[str, ...], *options: str) -> str:
    for word, after in zip(words, (*words[1:], ""), strict=True):
        if word in options:
            return after[:200]
        name, equals, value = word.partition("=")
        if equals and name in options:
            return value[:200]
    return ""


def _pip_spec(word: str, index: str, line: Line) -> Asked | None:
    wheel = _WHEEL.search(word)
    if wheel:
        return Asked(name=canonical(wheel[1]), specifier=f"=={wheel[2]}", index=index, source=line.place)
    found = _REQUIREMENT.match(word)
    if found is None or word in (".", "..") or not re.search(r"[A-Za-z]", word):
        return None
    return Asked(
        name=canonical(found[1]),
        specifier=(found[3] or "").strip(),
        extras=tuple(re.findall(r"[\w.-]+", found[2] or "")),
        index=index,
        source=line.place,
    )


def _conda_spec(word: str, channel: str, line: Line) -> Asked | None:
    """`pytorch=1.9`, `pytorch::pytorch`, `jaxlib=*=*cuda118*`."""
    own, _, rest = word.rpartition("::")
    found = re.match(r"^([a-z_][\w.-]{0,80})\s*((?:[=<>!]=?)\s*\S{1,80})?$", rest)
    if found is None:
        return None
    return asked_of_conda(found[1], found[2] or "", line, channel=own or channel)
