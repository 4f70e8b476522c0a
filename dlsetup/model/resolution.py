"""The answer to a wish: a plan, or the smallest reason why there is none."""

from __future__ import annotations

from typing import Literal

from packaging.version import Version

from dlsetup.model.framework import Index
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.target import Target
from dlsetup.model.versions import CudaVersion


class Compiled(Record, frozen=True, kw_only=True):
    """A distribution that is compiled where it is installed: what its installer has to be told."""

    distribution: str
    version: Version
    requires: tuple[str, ...]
    """What it requires, since nobody can read that out of a source without building it."""
    variables: tuple[str, ...] = ()
    """Environment variables while it is compiled: `NAME=VALUE`."""


class Pick(Record, frozen=True, kw_only=True):
    """One chosen build."""

    framework: str
    version: Version
    variant: str
    index: str
    requirement: str
    """What an installer is asked for: `jax[cuda12]==0.10.2`."""
    because: str = ""
    """Why this build, and why none newer, in one sentence."""
    passed_over: tuple[str, ...] = ()
    """Every newer release with its reason, the newest first, where that is asked for."""
    sources: tuple[str, ...] = ()
    size_bytes: int | Unknown = UNKNOWN
    expects: tuple[str, ...] = ()
    """What it needs of the machine and does not bring along: `cudnn>=9,<10`, `nvcc`."""
    compiled: Compiled | None = None
    """None: its wheel is ready."""


class Plan(Record, frozen=True, kw_only=True):
    """Builds that work together on one target."""

    target: Target
    python: Version
    """Major and minor: 3.12."""
    interpreter: str | None = None
    """Path of a Python of that version on the target; None: uv has to bring it."""
    picks: tuple[Pick, ...]
    cuda: CudaVersion | None = None
    """The newest CUDA runtime among the picks."""
    requirements: tuple[str, ...] = ()
    """All that the installer is asked for."""
    constraints: tuple[str, ...] = ()
    """Bounds that keep the rest of the tree from breaking the picks."""
    indexes: tuple[Index, ...] = ()
    sources: tuple[tuple[str, str], ...] = ()
    """Distribution and the name of the one index it may come from."""
    because: tuple[str, ...] = ()
    """Reasons that concern the plan as a whole."""
    unknown: tuple[str, ...] = ()
    """What could not be confirmed."""
    preference: tuple[str, ...] = ()
    """What was preferred, the weightiest first."""


class Together(Record, frozen=True, kw_only=True):
    """Plans of several targets that go into one lock: the same Python, the same releases, and on one
    platform the same builds."""

    plans: tuple[Plan, ...]
    """One for each target, in the order in which they were named."""
    because: tuple[str, ...] = ()
    """Reasons that concern all of them."""


class Clause(Record, frozen=True, kw_only=True):
    """One part of a conflict."""

    kind: Literal["wish", "fact", "rule"]
    text: str
    source: str = ""


class WayOut(Record, frozen=True, kw_only=True):
    """A change that makes the wish possible, with the plans it leads to."""

    text: str
    command: str = ""
    plans: tuple[Plan, ...] = ()


class Conflict(Record, frozen=True, kw_only=True):
    """Clauses that cannot hold together: without any one of them there is a plan."""

    target: Target
    core: tuple[Clause, ...]
    remarks: tuple[str, ...] = ()
    """What there is to know beside it: that a framework has ended."""
    ways_out: tuple[WayOut, ...] = ()
