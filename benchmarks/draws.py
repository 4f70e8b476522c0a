"""What the agreement with uv is tried on, drawn at random: sets of builds, and machines with wishes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from uv_answers import FETCHED_FROM_NVIDIA

from dlsetup.intake.target import parse
from dlsetup.model.framework import Build, Catalog, Framework
from dlsetup.model.record import Unknown
from dlsetup.model.target import Interpreter, Target
from dlsetup.rules.wheels import accepts_python, has_platform, has_wheel

PYTHONS = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
LIBCS = ("2.17", "2.28", "2.31", "2.35", "2.39")
GPUS = ("K80", "GTX 1080 Ti", "Tesla V100", "RTX 2080 Ti", "A100", "RTX 4090", "H100", "RTX 5090", "B200")
DRIVERS = ("470.82.01", "525.60.13", "535.129.03", "550.54.15", "570.26", "580.65.06", "590.44.01")
NEAR = 150
"""Days between releases that were made with each other in view."""


class Combination(NamedTuple):
    """Builds of two to four frameworks, each in one version, and where they shall work together."""

    words: str
    target: Target
    python: str
    builds: tuple[Build, ...]

    def __str__(self) -> str:
        names = " ".join(text for build in self.builds for text in build.requirements)
        return f"{names} on Python {self.python}, {self.words}"


class Errand(NamedTuple):
    """A machine in words, and frameworks that are wanted on it."""

    words: str
    frameworks: tuple[str, ...]
    python: str

    def __str__(self) -> str:
        return f"{' '.join(self.frameworks)} on {self.words}" + (
            f", Python {self.python}" * bool(self.python)
        )


def combination(catalog: Catalog, dice: random.Random) -> Combination:
    """Half of the time releases of one season, which have a chance to go together; else of any time."""
    arch = dice.choice(("x86_64", "x86_64", "aarch64"))
    python = dice.choice(PYTHONS)
    libc = dice.choice(LIBCS)
    seasonal = dice.random() < 0.5
    count = dice.randint(2, 4)
    builds: list[Build] = []
    for framework in dice.sample(catalog.frameworks, len(catalog.frameworks)):
        near = builds[0] if builds and seasonal else None
        found = _release(_comparable(framework, parse(f"os=linux,arch={arch}"), python, dice), near, dice)
        if found is not None:
            builds.append(found)
        if len(builds) == count:
            break
    words = f"os=linux,arch={arch},glibc={libc}"
    if any(build.accelerator == "cuda" for build in builds):
        words += f',driver={dice.choice(DRIVERS)},gpu="{dice.choice(GPUS)}"'
    else:
        words += ",driver=none,gpu=none"
    return Combination(words, parse(words), python, tuple(builds))


def errand(frameworks: Sequence[str], turn: int, dice: random.Random) -> Errand:
    """One to three frameworks; the first of them in turn, so that each is wanted by somebody."""
    first = frameworks[turn % len(frameworks)]
    others = dice.sample([name for name in frameworks if name != first], dice.choice((0, 0, 1, 1, 2)))
    python = dice.choice(("", "", *PYTHONS[2:]))
    return Errand(machine_words(dice), (first, *others), python)


def machine_words(dice: random.Random) -> str:
    """Linux most of the time, with a GPU more often than not."""
    system = dice.choice(("linux",) * 7 + ("windows", "macos", "wsl"))
    if system == "macos":
        return (
            f"macos={dice.choice(('12.0', '13.3', '14.0', '15.1'))},arch={dice.choice(('x86_64', 'aarch64'))}"
        )
    words = {
        "linux": f"os=linux,glibc={dice.choice(LIBCS)},arch={dice.choice(('x86_64', 'x86_64', 'aarch64'))}",
        "wsl": f"wsl=yes,glibc={dice.choice(LIBCS[2:])},arch=x86_64",
        "windows": "os=windows,arch=x86_64",
    }[system]
    device = dice.choice(("nvidia", "nvidia", "nvidia", "none", "amd"))
    if device == "none" or (device == "amd" and system != "linux"):
        return f"{words},gpu=none,driver=none"
    if device == "amd":
        return f'{words},gpu="MI300X"'
    gpus = dice.sample(GPUS, dice.choice((1, 1, 1, 2)))
    return ",".join((words, f"driver={dice.choice(DRIVERS)}", *(f'gpu="{gpu}"' for gpu in gpus)))


def _comparable(framework: Framework, platform: Target, python: str, dice: random.Random) -> list[Build]:
    """Builds of the configured index with wheels for the platform; one time in eight whatever the Python.

    What is compiled on the machine, or fetched while it is built, has no metadata that uv could read, so
    there is nothing to compare.
    """
    interpreter = Interpreter(version=Version(python))
    there = [
        item
        for item in framework.builds
        if item.index == "default" and _readable(item) and not has_platform(item, platform).refused
    ]
    if dice.random() < 0.125:
        return there
    verdicts = (
        (item, has_wheel(item, interpreter, platform), accepts_python(item, interpreter)) for item in there
    )
    return [item for item, wheel, accepted in verdicts if not wheel.refused and not accepted.refused]


def _readable(build: Build) -> bool:
    names = (canonicalize_name(Requirement(text).name) for text in build.requirements)
    return not build.from_source and not any(name in FETCHED_FROM_NVIDIA for name in names)


def _release(builds: list[Build], near: Build | None, dice: random.Random) -> Build | None:
    """A version first, then one of its builds: a release with many builds is not drawn more often."""
    if near is not None:
        builds = [item for item in builds if _days(item, near) <= NEAR]
    versions = sorted({item.version for item in builds})
    if not versions:
        return None
    version = dice.choice(versions)
    return dice.choice([item for item in builds if item.version == version])


def _days(one: Build, other: Build) -> int:
    if isinstance(one.released, Unknown) or isinstance(other.released, Unknown):
        return 0
    return abs((date.fromisoformat(one.released) - date.fromisoformat(other.released)).days)
