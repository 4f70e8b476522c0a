"""Recipes of images that are no Dockerfile: `cog.yaml`, `devcontainer.json`, definition files of Apptainer.

build:
  gpu: true
  cuda: "11.8"
  python_version: "3.11"
  python_packages:
    - "torch==2.0.1"
  run:
    - pip install xformers==0.0.20
predict: "predict.py:Predictor"

{
  "image": "mcr.microsoft.com/devcontainers/base:ubuntu",
  "runArgs": ["--gpus=all", "--shm-size=8g"],
  "hostRequirements": { "gpu": "optional" }
}

Bootstrap: docker
From: nvidia/cuda:11.8.0-devel-ubuntu22.04
%post
    pip install torch==2.1.0
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.version import Version

from dlsetup.intake.fact import Fact, shown, told
from dlsetup.intake.formats.variables import READ
from dlsetup.intake.packages import canonical
from dlsetup.intake.page import Page
from dlsetup.intake.reading import reads
from dlsetup.intake.sizes import size_in
from dlsetup.model.machine import Variable
from dlsetup.model.record import UNKNOWN
from dlsetup.model.report import Asked, Contained

_BUILD = re.compile(r"^build:\s*(?:#.*)?$")
_COG = re.compile(
    r"^\s{1,8}(gpu|python_version|python_packages|cuda):\s*[\"']?([\w.]{0,20})[\"']?\s*(?:#.*)?$"
)
_ITEM = re.compile(
    r"^\s{1,12}- ?[\"']?([A-Za-z0-9][\w.-]{0,80})(?:\[[^\]]{0,60}\])?"
    r"\s{0,2}((?:[=<>!~]=?\s{0,2}[\w.*+!,<>=~ ]{1,60})?)[\"']?\s*(?:#.*)?$"
)
_PYTHON = re.compile(r"3\.\d{1,2}(?:\.\d{1,2})?")
_ARGUMENTS = re.compile(r'"runArgs"\s{0,4}:\s{0,4}\[([^\]]{0,2000})\]')
_IMAGE = re.compile(r'"image"\s{0,4}:\s{0,4}"([^"\s]{1,200})"')
_GPU = re.compile(r'"hostRequirements"\s{0,4}:\s{0,4}\{[^}]{0,300}"gpu"\s{0,4}:\s{0,4}(?:true|"optional"|\{)')
_SIZE = re.compile(r'--shm-size(?:=|"\s{0,4},\s{0,4}")([\w.]{1,16})')
_BOOTSTRAP = re.compile(r"^\s{0,4}[Bb]oot[Ss]trap:\s{0,8}(\w{2,20})\s*$")
_FROM = re.compile(r"^\s{0,4}From:\s{0,8}(\S{1,200})\s*$")
_SECTION = re.compile(r"^\s{0,4}%(\w{2,20})")
_EXPORT = re.compile(r"^\s{0,16}(?:export )?(\w{2,60})=[\"']?(.{0,2000}?)[\"']?\s*$")


@reads("cog.yaml", "python_version:", "python_packages:")
def cog(page: Page) -> Iterator[Fact]:
    """Python, packages and the wish for a GPU that stand under `build:`."""
    part = ""
    inside = False
    for line in page.lines:
        if _BUILD.match(line.text):
            inside = True
        elif line.text and not line.text[0].isspace() and line.text[0] != "#":
            inside = False
        elif inside and (found := _COG.match(line.text)):
            part = found[1]
            if part == "gpu":
                yield shown(
                    "container", Contained(kind="cog", gpus=found[2] == "true", source=line.place), line
                )
            elif part == "python_version" and _PYTHON.fullmatch(found[2]):
                yield told("environment.python", Version(found[2]), line)
        elif inside and part == "python_packages" and (item := _ITEM.match(line.text)):
            asked = Asked(name=canonical(item[1]), specifier=item[2].strip(), source=line.place)
            yield shown("asked", asked, line)
        elif line.text.strip() and not line.text.lstrip().startswith("#"):
            part = ""


@reads("devcontainer.json", '"runArgs"', '"hostRequirements"')
def devcontainer(page: Page) -> Iterator[Fact]:
    """The image, and how an editor starts it. Its JSON may hold comments and end early."""
    text = page.text
    arguments, image = _ARGUMENTS.search(text), _IMAGE.search(text)
    first = arguments or _GPU.search(text) or image
    if first is None:
        return
    line = page.line_at(first.start())
    words = arguments[1] if arguments else ""
    size = _SIZE.search(words)
    item = Contained(
        kind="devcontainer",
        image=image[1] if image else UNKNOWN,
        gpus="--gpus" in words or bool(_GPU.search(text)),
        shm_bytes=size_in(size[1]) if size else None,
        host_ipc=bool(re.search(r'--ipc(?:=|"\s{0,4},\s{0,4}")host', words)),
        source=line.place,
    )
    yield shown("container", item, line)


@reads("Apptainer definition file", "ootstrap:", "ootStrap:")
def apptainer(page: Page) -> Iterator[Fact]:
    """The image of the last stage, and what `%environment` sets. Its commands are read as all others."""
    section = origin = ""
    last: Fact | None = None
    variables: dict[str, Fact] = {}
    for line in page.lines:
        if found := _BOOTSTRAP.match(line.text):
            origin, section = found[1].lower(), ""
            variables = {}
        elif origin and (found := _FROM.match(line.text)):
            image = found[1] if origin in ("docker", "docker-daemon", "oras", "library") else UNKNOWN
            last = shown("container", Contained(kind="apptainer", image=image, source=line.place), line)
        elif found := _SECTION.match(line.text):
            section = found[1]
        elif section == "environment" and (found := _EXPORT.match(line.text)) and found[1] in READ:
            item = Variable(name=found[1], value=found[2], found_via=line.place)
            variables[found[1]] = told("variable", item, line)
    if last is not None:
        yield last
        yield from variables.values()
