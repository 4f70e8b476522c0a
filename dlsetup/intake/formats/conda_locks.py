"""Locks of conda packages: conda-lock, `conda list --explicit`, `pixi.lock`. All name files of channels.

@EXPLICIT
https://conda.anaconda.org/pytorch/linux-64/pytorch-2.3.0-py3.11_cuda12.1_cudnn8.9.2_0.tar.bz2#0a1b2c

- name: pytorch
  version: 2.3.0
  manager: conda
  platform: linux-64
  url: https://conda.anaconda.org/conda-forge/linux-64/pytorch-2.3.0-cuda120_py311h25b6552_301.conda

- conda: https://conda.anaconda.org/conda-forge/noarch/optax-0.2.4-pyhd8ed1ab_1.conda
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from packaging.version import Version

from dlsetup.intake.fact import Fact, observed, shown
from dlsetup.intake.packages import from_conda, version_in
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads

_FILE = re.compile(
    r"(?:https?://[^\s/]{1,100}|file://)/(?:[^\s/]{1,60}/){0,12}?([\w.-]{1,60})/(noarch|(?:linux|osx|win)-[\w]{2,10})/"
    r"([a-z0-9_][\w.-]{0,80})-([\w.!+]{1,50})-(\w[\w.]{0,80})\.(?:conda|tar\.bz2)(?=[#\s\"']|$)"
)
_STARTS = re.compile(r"^\s{0,12}(?:- (?:conda|url): |url: |https?://|file://)")
_ENVIRONMENTS = re.compile(r"^packages:\s*$|^package:\s*$|^@EXPLICIT\b|^environments:\s*$")


class Locked(NamedTuple):
    version: str
    build: str
    channel: str
    line: Line


@reads("lock of conda packages", ".conda", ".tar.bz2")
def files(page: Page) -> Iterator[Fact]:
    """What is locked alike for every platform of the lock; of a package with several builds none is said."""
    if not any(_ENVIRONMENTS.match(line.text) for line in page.lines):
        return
    found: dict[str, dict[tuple[str, str], Locked]] = {}
    platforms: set[str] = set()
    for line in page.lines:
        file = _FILE.search(line.text) if _STARTS.match(line.text) else None
        if file:
            platforms |= {file[2]} - {"noarch"}
            item = Locked(file[4], file[5], file[1], line)
            found.setdefault(file[3], {}).setdefault((item.version, item.build), item)
    for name, items in found.items():
        yield from _agreed(name, list(items.values()))
    if len(platforms) == 1:
        first = next(iter(next(iter(found.values())).values()))
        yield observed("conda.platform", platforms.pop(), first.line)


def _agreed(name: str, items: list[Locked]) -> Iterator[Fact]:
    first = items[0]
    if any(item.version != first.version for item in items):
        return
    build = first.build if len(items) == 1 else ""
    item = from_conda(name, first.version, first.line, build=build, channel=first.channel)
    if item:
        yield shown("distribution", item, first.line)
    if name == "python" and (version := version_in(first.version)):
        yield shown("environment.python", Version(version.base_version), first.line)
