"""Dockerfiles: the image that the last stage begins with, and the variables that hold in it.

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
from collections.abc import Iterator
from typing import NamedTuple

from dlsetup.intake.fact import Fact, shown, told
from dlsetup.intake.formats.variables import READ
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads
from dlsetup.model.machine import Variable
from dlsetup.model.report import Contained

_FROM = re.compile(
    r"^\s{0,4}FROM\s{1,8}(?:--platform=\S{1,40} )?(\S{1,200})(?: (?:AS|as|As) (\S{1,60}))?\s*$"
)
_ARG = re.compile(r"^\s{0,4}ARG (\w{1,60})=[\"']?([^\s\"']{1,200})")
_ENV = re.compile(r"^\s{0,4}ENV\s{1,8}(\S.{0,4000})$")
_NAME = re.compile(r"\w{1,60}")
LONGEST = 4000
VISIBLE = "CUDA_VISIBLE_DEVICES"
_OF_GPUS = re.compile(r"cuda|nvidia|nvcr|gpu|rocm", re.IGNORECASE)


class Stage(NamedTuple):
    image: str
    """Where it begins, through all stages that it builds on."""
    variables: dict[str, tuple[str, Line]]
    line: Line


@reads("Dockerfile", "FROM ")
def dockerfile(page: Page) -> Iterator[Fact]:
    """The last stage alone is the image: what others set or copy into it does not come with them.

    An image without a word of GPUs in its name that hides them all is meant for processors: that is no fault.
    """
    stage = _last_stage(page)
    if stage is None:
        return
    item = Contained(kind="dockerfile", image=stage.image, source=stage.line.place)
    yield shown("container", item, stage.line)
    for name, (value, line) in stage.variables.items():
        meant = name == VISIBLE and value in ("", "-1") and not _OF_GPUS.search(stage.image)
        if name in READ and not meant:
            yield told("variable", Variable(name=name, value=value, found_via=line.place), line)


def _last_stage(page: Page) -> Stage | None:
    arguments: dict[str, str] = {}
    stages: dict[str, Stage] = {}
    stage: Stage | None = None
    for line, text in _instructions(page):
        if found := _ARG.match(text):
            arguments[found[1]] = found[2]
        elif found := _FROM.match(text):
            image = _filled(found[1], arguments)
            base = stages.get(image.lower(), Stage(image, {}, line))
            stage = Stage(base.image, dict(base.variables), line)
            stages[str(len(stages))] = stage
            if found[2]:
                stages[found[2].lower()] = stage
        elif stage is not None and (found := _ENV.match(text)):
            known = {**arguments, **{name: value for name, (value, _) in stage.variables.items()}}
            for name, value in _pairs(found[1]):
                stage.variables[name] = (_filled(value, known)[:LONGEST], line)
    return stage


def _instructions(page: Page) -> Iterator[tuple[Line, str]]:
    """Lines with those that a backslash joins to them; comments between them are no part of either."""
    waiting = ""
    first: Line | None = None
    for line in page.lines:
        if line.text.lstrip().startswith("#"):
            continue
        first = first or line
        if line.text.endswith("\\") and len(waiting) < LONGEST:
            waiting += f"{line.text[:-1]} "
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


def _filled(text: str, known: dict[str, str]) -> str:
    """With the variables that the file tells; the others stay as they are written."""
    filled = re.sub(r"\$\{(\w{1,60}):-([^}]{0,200})\}", lambda found: known.get(found[1], found[2]), text)
    return re.sub(r"\$\{?(\w{1,60})\}?", lambda found: known.get(found[1], found[0]), filled)
