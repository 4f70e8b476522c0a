"""Every newer release that a plan does not take, with its reason."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from packaging.version import Version

from dlsetup.resolve.pieces import BuildChoice
from dlsetup.resolve.question import Question
from dlsetup.resolve.reasons import newer_releases, why_not
from dlsetup.resolve.search import Settled


def passed_over(question: Question, settled: Settled, choice: BuildChoice) -> tuple[str, ...]:
    """`2.15.0 to 2.13.0: CUDA 13 needs NVIDIA driver 580 or newer on Linux`, the newest first.

    Neighbours with the same reason are told together. Each release may cost a search, so this is for those
    who ask.
    """
    name = choice.key
    told = [
        (version, _whatever_release(why_not(question, settled, choice, version), name))
        for version in newer_releases(question, choice.build)
    ]
    return tuple(_grouped(told))


def _grouped(told: list[tuple[Version, str]]) -> Iterator[str]:
    for reason, group in groupby(told, key=lambda pair: pair[1]):
        versions = [version for version, _ in group]
        newest, oldest = versions[0], versions[-1]
        yield f"{newest}{f' to {oldest}' if newest != oldest else ''}: {reason}"


def _whatever_release(reason: str, name: str) -> str:
    """The reason without the release and the variant that it speaks of: both stand before it."""
    return re.sub(rf"\b{re.escape(name)} \d[\w.+!]*(?: \([^)]*\))?(?= )", name, reason)
