"""What installers were asked for: packages, indexes, commands in their order."""

from __future__ import annotations

import re

from packaging.version import InvalidVersion, Version

from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence
from dlsetup.model.report import Asked, Command

CUDA_INDEX = re.compile(r"/cu(\d{2,3})\b")
"""The index of one CUDA."""
OF_INDEX = re.compile(r"/whl/(?:nightly/|test/)?(cu\d{2,3}|xpu|rocm[\d.]+)\b")
"""The variant of torch that an index holds, where it holds one that is no CPU build."""
LOCAL = re.compile(r"\+(cpu|cu\d{2,3}|xpu|rocm[\d.]+)")
"""The variant that a version of torch names."""


def asked_of(scene: Scene, installer: str) -> list[Asked]:
    """What one installer (`pip`, `conda`) was asked for, in the order of the report."""
    return [item for item in scene.machine.report.asked if item.installer == installer]


def installs(scene: Scene) -> list[Command]:
    """The commands that install something, in the order of the report."""
    return [item for item in scene.machine.report.commands if {"install", "add", "sync"} & set(item.words)]


def comes_after(source: str, other: str) -> bool:
    """Whether a place is further down in the same file: `run.txt:12` after `run.txt:3`."""
    (file, _, number), (first, _, start) = source.rpartition(":"), other.rpartition(":")
    return file == first and number.isdecimal() and start.isdecimal() and int(number) > int(start)


def version_of(text: str | None) -> Version | None:
    """The version that a text is; None for what is none."""
    try:
        return Version(text) if text else None
    except InvalidVersion:
        return None


def named_version(specifier: str) -> Version | None:
    """The version that stands in a specifier: 2.6 of `=2.6*`. None: none of two numbers or more does."""
    found = re.search(r"\d+(?:\.\d+)+", specifier)
    return version_of(found[0]) if found else None


def exact_pin(specifier: str) -> Version | None:
    """The version that is asked for and no other: `==2.6.0` of pip, `=2.6.0` of conda."""
    found = re.match(r"={1,2}\s*(\d[\w.+!]*)(?![\w.+!*])", specifier)
    return version_of(found[1]) if found and found[1].count(".") > 1 else None


def of_asked(item: Asked) -> Evidence:
    """What was asked for, and of which index or channel."""
    source = f"{item.source}, {item.index}" if item.index else item.source
    return Evidence(fact="asked for", value=f"{item.name}{item.specifier}", source=source)


def of_command(item: Command, fact: str) -> Evidence:
    """A command as it was typed."""
    return Evidence(fact=fact, value=" ".join(item.words)[:200], source=item.source)
