"""How a build stands on a target, as data."""

from __future__ import annotations

from typing import Literal

from dlsetup.model.framework import Build
from dlsetup.model.record import Record
from dlsetup.model.verdict import Verdict


class Standing(Record, frozen=True, kw_only=True):
    """One build held against one target, by itself: whether it goes with others is another question."""

    build: Build
    answer: Literal["yes", "no", "unknown"]
    """No where one rule refuses it; else unknown where one cannot tell; else yes."""
    rule: str = ""
    """The rule that decides; empty for yes."""
    because: str = ""
    """What it says, in a few words, without the name of the build."""
    pythons: tuple[str, ...] = ()
    """The Pythons of the target on which it can be installed: `3.12`, `3.13t`."""
    verdicts: tuple[Verdict, ...]
    """What each rule says, in the order in which they are asked."""
