"""Dockerfiles: their stages, the image that the last one begins with, and the variables that hold in it.

ARG CUDA=12.4.1
FROM nvidia/cuda:${CUDA}-devel-ubuntu22.04 AS build
RUN pip wheel flash-attn
FROM nvidia/cuda:${CUDA}-runtime-ubuntu22.04
COPY --from=build /wheels /wheels
ENV LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH \\
    NVIDIA_VISIBLE_DEVICES=all
ENV CUDA_VISIBLE_DEVICES 0
"""

from __future__ import annotations

import re
import shlex
from collections import ChainMap
from collections.abc import Iterator, Mapping, MutableMapping

from msgspec.structs import replace

from dlsetup.intake.fact import Fact, shown, told
from dlsetup.intake.formats.variables import OF_INDEXES, READ
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads
from dlsetup.model.machine import Gap, Variable
from dlsetup.model.report import Contained, Stage

_FROM = re.compile(
    r"^\s{0,4}FROM\s{1,8}(?:--platform=(\S{1,40}) )?(\S{1,200})(?: (?:AS|as|As) (\S{1,60}))?\s*$"
)
_ARG = re.compile(r"^\s{0,4}ARG (\w{1,60})=[\"']?([^\s\"']{1,200})")
_ENV = re.compile(r"^\s{0,4}ENV\s{1,8}(\S.{0,4000})$")
_RUN = re.compile(r"^\s{0,4}RUN\s{1,8}(\S.{0,8000})$")
_STARTS = re.compile(r"^\s{0,4}(?:ENTRYPOINT|CMD)\s{1,8}(\S.{0,2000})$")
_COPY = re.compile(r"^\s{0,4}(?:COPY|ADD)\s{1,8}(--from=\S.{0,2000})$")
_HERE = re.compile(r"<<-?[\"']?(\w{1,40})[\"']?")
"""What follows is text for the instruction, up to a line that is this word."""
_NAME = re.compile(r"\w{1,60}")
LONGEST = 4000
MOST = 200
"""Instructions of one stage that are kept, and its variables: each stage on it has them all."""
MOST_STAGES = 60
VISIBLE = "CUDA_VISIBLE_DEVICES"
_OF_GPUS = re.compile(r"cuda|nvidia|nvcr|gpu|rocm", re.IGNORECASE)


class _Reading:
    """What is known of a stage while its lines are read."""

    def __init__(self, stage: Stage, line: Line, variables: Mapping[str, tuple[str, Line]]) -> None:
        self.stage, self.line, self.variables = stage, line, dict(variables)
        self.values = {name: value for name, (value, _) in variables.items()}
        self.runs: list[str] = []
        self.starts: list[str] = []
        self.copies: list[str] = []

    def set(self, name: str, value: str, line: Line) -> None:
        if len(self.variables) < MOST or name in self.variables or name in READ:
            self.variables[name], self.values[name] = (value, line), value

    def forget(self) -> None:
        """Nothing builds on it any more that is kept."""
        self.variables, self.values = {}, {}

    def done(self, arguments: Mapping[str, str], end: Line, *, last: bool) -> Stage:
        known = {**arguments, **self.values}
        return replace(
            self.stage,
            last=last,
            runs=tuple(_filled(text, known) for text in self.runs[:MOST]),
            copies=tuple(self.copies[:MOST]),
            starts=" ".join(self.starts[-2:])[:LONGEST],
            indexes=tuple(name for name in known if name in OF_INDEXES),
            end=end.place,
        )


@reads("Dockerfile", "FROM ")
def dockerfile(page: Page) -> Iterator[Fact | Gap]:
    """The last stage alone is the image: what others set or copy into it does not come with them.

    An image without a word of GPUs in its name that hides them all is meant for processors: that is no fault.
    """
    stages, arguments = _read(page)
    if not stages:
        return
    if len(stages) > MOST_STAGES:
        reason = f"of the stages of Dockerfiles the last {MOST_STAGES} are looked at"
        yield Gap(fact=f"part of {page.file}", reason=reason)
    ends = [*(one.line for one in stages[1:]), page.lines[-1]]
    for one, following in list(zip(stages, ends, strict=False))[-MOST_STAGES:]:
        yield shown("stage", one.done(arguments, following, last=one is stages[-1]), one.line)
    last = stages[-1]
    item = Contained(
        kind="dockerfile", image=last.stage.image, platform=last.stage.platform, source=last.line.place
    )
    yield shown("container", item, last.line)
    for name, (value, line) in last.variables.items():
        meant = name == VISIBLE and value in ("", "-1") and not _OF_GPUS.search(last.stage.image)
        if name in READ and not meant:
            yield told("variable", Variable(name=name, value=value, found_via=line.place), line)


def _read(page: Page) -> tuple[list[_Reading], dict[str, str]]:
    """The stages in their order, and the values that arguments have by default."""
    arguments: dict[str, str] = {}
    named: dict[str, _Reading] = {}
    stages: list[_Reading] = []
    for line, text in _instructions(page):
        if found := _ARG.match(text):
            arguments[found[1]] = found[2]
        elif found := _FROM.match(text):
            stages.append(_begun(found, line, named, arguments))
            if len(stages) > MOST_STAGES:
                stages[-MOST_STAGES - 1].forget()
            named[str(len(stages) - 1)] = stages[-1]
            named |= {found[3].lower(): stages[-1]} if found[3] else {}
        elif stages:
            _take(stages[-1], text, line, arguments)
    return stages, arguments


def _begun(
    found: re.Match[str], line: Line, named: Mapping[str, _Reading], arguments: Mapping[str, str]
) -> _Reading:
    image = _filled(found[2], arguments)
    base = named.get(image.lower())
    stage = Stage(
        image=base.stage.image if base else image,
        above=base.stage.source if base else "",
        platform=_platform(found[1] or "", base, arguments),
        source=line.place,
        end=line.place,
    )
    return _Reading(stage, line, base.variables if base else {})


def _platform(word: str, base: _Reading | None, arguments: Mapping[str, str]) -> str:
    platform = _filled(word, arguments)
    if platform:
        return "" if "$" in platform else platform
    return base.stage.platform if base else ""


def _take(stage: _Reading, text: str, line: Line, arguments: MutableMapping[str, str]) -> None:
    """One instruction of a stage."""
    if found := _ENV.match(text):
        known: Mapping[str, str] = ChainMap(stage.values, arguments)
        for name, value in [(name, _filled(value, known)) for name, value in _pairs(found[1])]:
            stage.set(name, value, line)
    elif found := _RUN.match(text):
        stage.runs.append(found[1])
    elif found := _COPY.match(text):
        stage.copies.append(found[1])
    elif found := _STARTS.match(text):
        stage.starts.append(" ".join(re.sub(r"^\[|\]\s*$|\"\s?,?", " ", found[1]).split()))


def _instructions(page: Page) -> Iterator[tuple[Line, str]]:
    """Lines with those that a backslash joins to them, and with what stands between `<<EOF` and `EOF`.

    Comments between them are no part of either.
    """
    waiting = until = ""
    first: Line | None = None
    for line in page.lines:
        if until and line.text.strip() != until and len(waiting) < LONGEST:
            waiting += f" {line.text.strip()} ;"
            continue
        if until:
            yield first or line, waiting[: 2 * LONGEST]
            waiting, first, until = "", None, ""
            continue
        if line.text.lstrip().startswith("#"):
            continue
        first = first or line
        if line.text.endswith("\\") and len(waiting) < LONGEST:
            waiting += f"{line.text[:-1]} "
            continue
        if here := _HERE.search(line.text) if _RUN.match(waiting + line.text) else None:
            waiting, until = waiting + line.text, here[1]
            continue
        yield first, (waiting + line.text)[: 2 * LONGEST]
        waiting, first = "", None


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """`A=b C="d e"`, or in the old manner `A b c`."""
    name, _, rest = text.partition(" ")
    if "=" not in name:
        yield name, rest.strip()
        return
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    for word in words[:200]:
        name, equals, value = word.partition("=")
        if equals and _NAME.fullmatch(name):
            yield name, value


def _filled(text: str, known: Mapping[str, str]) -> str:
    """With the variables that the file tells; the others stay as they are written. At most `LONGEST` letters,
    however often a long value is named."""
    with_defaults = _exchanged(r"\$\{(\w{1,60}):-([^}]{0,200})\}", text, known, 2)
    return _exchanged(r"\$\{?(\w{1,60})\}?", with_defaults, known, 0)


def _exchanged(pattern: str, text: str, known: Mapping[str, str], otherwise: int) -> str:
    left = LONGEST

    def value(found: re.Match[str]) -> str:
        nonlocal left
        word = known.get(found[1], found[otherwise]) if left > 0 else ""
        left -= len(word)
        return word

    return re.sub(pattern, value, text)[:LONGEST]
