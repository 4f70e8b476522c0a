"""Files that ask for packages: `environment.yml`, `pixi.toml`, `pyproject.toml`.

name: dl
channels:
  - pytorch
dependencies:
  - pytorch=2.6*
  - pip:
    - transformers==4.40

[[tool.uv.index]]
name = "pytorch-cu128"
url = "https://download.pytorch.org/whl/cu128"
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact, observed, shown
from dlsetup.intake.packages import asked_of_conda, canonical, from_conda
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads
from dlsetup.model.report import Asked

_KEY = re.compile(r"^\s{0,12}-? ?(channels|dependencies|pip|name|prefix|variables):\s*(\S.{0,120})?$")
_ITEM = re.compile(r"^\s{0,16}-\s{1,3}[\"']?([A-Za-z0-9_][^\"'#]{0,120}?)[\"']?\s*(?:#.*)?$")
_CONDA = re.compile(r"^(?:([\w./-]{1,60})::)?([a-z_][\w.-]{0,80})\s*((?:[=<>!]|\s\d)\S{0,80})?$")
_PIP = re.compile(r"^([A-Za-z0-9][\w.-]{0,80})(?:\[[^\]]{0,60}\])?\s*([=<>!~]=?\s*[\w.*+!,<>=~ ]{1,60})?$")
_EXPORTED = re.compile(r"^([a-z_][\w.-]{0,80})=(\d[\w.]{0,40})=([\w.]{1,60})$")
_ADDRESS = re.compile(r"""\s{0,4}url\s*=\s*["'](https?://[^"'\s]{4,300})["']""")
_TABLE = re.compile(r"^\s*\[{1,2}([\w.\"-]{1,100})\]{1,2}\s*$")
_QUOTED = re.compile(r"[\"']([A-Za-z0-9][\w.-]{0,80})(?:\[[^\]]{0,60}\])?\s*([=<>!~]=?[^\"']{1,60})?[\"']")


@reads("environment.yml", "dependencies:")
def environment(page: Page) -> Iterator[Fact]:
    """What the file asks conda and pip for; its channels are those of all."""
    part, channels = "", []
    for line in page.lines:
        key, item = _KEY.match(line.text), _ITEM.match(line.text)
        if key:
            part = key[1]
            if part == "channels" and key[2]:
                channels += re.findall(r"[\w./:-]+", key[2])
        elif item and part == "channels":
            channels.append(item[1].strip())
        elif item and part in ("dependencies", "pip"):
            yield from _requested(item[1].strip(), part, next(iter(channels), ""), line)
        elif line.text.strip() and not line.text.lstrip().startswith("#"):
            part = ""
    if channels:
        yield observed("conda.channels", " ".join(channels)[:200], page.lines[0])


@reads("pyproject.toml", "[project]", "[tool.uv", "[tool.poetry", "[tool.pixi", "[dependencies]")
def project(page: Page) -> Iterator[Fact]:
    """Its dependencies; and whether it names indexes, which only this project's own uv reads."""
    table = ""
    for line in page.lines:
        head = _TABLE.match(line.text)
        if head:
            table = head[1]
        if head and table in ("tool.uv.index", "tool.uv.sources"):
            yield observed(f"pyproject.{table}", "there", line)
        elif table == "tool.uv.index" and (address := _ADDRESS.match(line.text)):
            yield observed(f"pyproject.{table}", address[1], line)
        elif table.startswith(("project", "dependency-groups")) and (
            "dependencies" in line.text or "torch" in line.text
        ):
            for name, specifier in _QUOTED.findall(line.text):
                asked = Asked(
                    name=canonical(name), specifier=specifier.split(";")[0].strip(), source=line.place
                )
                yield shown("asked", asked, line)


def _requested(text: str, part: str, channel: str, line: Line) -> Iterator[Fact]:
    """An item of the file; one with a build is what `conda env export` found installed."""
    exported = _EXPORTED.match(text) if part == "dependencies" else None
    if exported:
        item = from_conda(exported[1], exported[2], line, build=exported[3], channel=channel)
        if item:
            yield shown("distribution", item, line)
        return
    asked = _from_conda(text, channel, line) if part == "dependencies" else _from_pip(text, line)
    if asked:
        yield shown("asked", asked, line)


def _from_conda(text: str, channel: str, line: Line) -> Asked | None:
    found = _CONDA.match(text)
    if found is None:
        return None
    return asked_of_conda(found[2], found[3] or "", line, channel=found[1] or channel)


def _from_pip(text: str, line: Line) -> Asked | None:
    found = _PIP.match(text.strip())
    if found is None:
        return None
    return Asked(name=canonical(found[1]), specifier=(found[2] or "").strip(), source=line.place)
