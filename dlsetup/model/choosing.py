"""What speaks for a framework: criteria, judgements and purposes, and what was made of them."""

from __future__ import annotations

from typing import Literal

import msgspec
from packaging.version import Version

from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.model.source import Source

MOST_STARS = 5


class Criterion(Record, frozen=True, kw_only=True):
    """One thing by which every framework is judged, with one star to five."""

    id: str
    title: str
    asks: str
    """The question that the stars answer."""
    scale: str
    """What five stars mean, and what fewer."""


class Judgement(Record, frozen=True, kw_only=True):
    framework: str
    criterion: str
    stars: int
    because: str
    """The fact that the stars rest on, as a sentence without its end."""
    source: str


class Strength(Record, frozen=True, kw_only=True):
    """A fact that speaks for a framework in one domain. Without a row nothing is claimed."""

    framework: str
    domain: str
    because: str
    source: str


class Decline(Record, frozen=True, kw_only=True):
    """A fact that shows that a framework is in decline."""

    framework: str
    fact: str
    source: str


class Task(Record, frozen=True, kw_only=True):
    """What somebody wants to do: `teaching`."""

    id: str
    title: str
    weights: dict[str, int]
    """How much each criterion counts; one that is left out does not."""
    default: str
    """The framework to start from, unless the target or what was said stands against it."""
    because: str
    profile: str
    cpu_will_do: bool = False
    """It is no drawback that a framework leaves the GPU alone: the work runs elsewhere."""


class Domain(Record, frozen=True, kw_only=True):
    """What it is about: `vision`."""

    id: str
    title: str
    profile: str = ""
    profile_for: tuple[str, ...] = ()
    """Tasks for which the domain's own profile is the better start than the task's."""


class Skill(Record, frozen=True, kw_only=True):
    """What somebody knows already: `keras`."""

    id: str
    title: str
    frameworks: tuple[str, ...] = ()
    """Those that are used in the same way."""
    weights: dict[str, int] = msgspec.field(default_factory=dict)
    """What it adds to the weight of criteria."""
    because: str


class Choosing(Record, frozen=True, kw_only=True):
    """Everything that a choice rests on beside builds."""

    criteria: tuple[Criterion, ...] = ()
    tasks: tuple[Task, ...] = ()
    domains: tuple[Domain, ...] = ()
    skills: tuple[Skill, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    strengths: tuple[Strength, ...] = ()
    declines: tuple[Decline, ...] = ()
    sources: tuple[Source, ...] = ()

    @property
    def frameworks(self) -> tuple[str, ...]:
        """The frameworks that are judged, each once."""
        return tuple(dict.fromkeys(item.framework for item in self.judgements))

    def judged(self, framework: str) -> tuple[Judgement, ...]:
        """Its judgements in the order of the criteria."""
        own = {item.criterion: item for item in self.judgements if item.framework == framework}
        return tuple(own[item.id] for item in self.criteria if item.id in own)


class Said(Record, frozen=True, kw_only=True):
    """What somebody said of himself and of his work."""

    task: Task
    domain: Domain | None = None
    skills: tuple[Skill, ...] = ()


How = Literal["works", "old", "cpu", "none"]


class Fit(Record, frozen=True, kw_only=True):
    """What becomes of a framework on the target."""

    how: How
    """`old`: only a release that is years behind its newest; `cpu`: it would leave the GPU alone."""
    because: str = ""
    """What stands against it, in the resolver's words; empty where it works."""
    plan: Plan | None = None
    conflict: Conflict | None = None
    """Why it does not work as it should."""


class Ranked(Record, frozen=True, kw_only=True):
    """A framework in its place of the ranking."""

    framework: str
    title: str
    points: int
    stars: tuple[Judgement, ...]
    reasons: tuple[str, ...]
    """What speaks for it, the weightiest first."""
    drawbacks: tuple[str, ...] = ()
    """What speaks against it."""
    fit: Fit
    newest: Version | Unknown = UNKNOWN
    """Its newest release, and the ISO date of it."""
    released: str | Unknown = UNKNOWN
    quiet: bool = False
    """Nothing was released for a year."""
    declining: tuple[str, ...] = ()
    """Facts that show that it is in decline."""


class Ranking(Record, frozen=True, kw_only=True):
    places: tuple[Ranked, ...]
    default: str
    """The framework that the task starts from."""
    overruled: str = ""
    """Why another one comes first all the same."""
