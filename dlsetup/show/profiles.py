"""Profiles in words and as documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.model.wish import Profile
from dlsetup.show.lines import Line, Style, command
from dlsetup.show.resolution import conflict_lines, plan_in_brief, plan_lines
from dlsetup.show.words import counted

Outcome = Literal["resolves", "conflict", "not locked", "malformed"]
MARKS: dict[Outcome, tuple[str, Style]] = {
    "resolves": ("✓", "good"),
    "conflict": ("✗", "bad"),
    "not locked": ("✗", "bad"),
    "malformed": ("✗", "bad"),
}


class ProfilesDocument(Record, frozen=True, kw_only=True):
    """Every profile, in alphabetical order."""

    schema: Literal["dlsetup.profiles-list/1"] = "dlsetup.profiles-list/1"
    ok: bool = True
    profiles: tuple[Profile, ...]


class ProfileDocument(Record, frozen=True, kw_only=True):
    """One profile with its plan (`ok`) or what stands against it."""

    schema: Literal["dlsetup.profiles-show/1"] = "dlsetup.profiles-show/1"
    ok: bool
    profile: Profile
    plan: Plan | Unknown = UNKNOWN
    conflict: Conflict | Unknown = UNKNOWN


class Checked(Record, frozen=True, kw_only=True):
    """What became of a profile on one target."""

    profile: str
    target: str | Unknown = UNKNOWN
    """Unknown for a profile that cannot be read."""
    outcome: Outcome
    because: str = ""
    """What stands against it."""
    plan: Plan | Unknown = UNKNOWN
    packages: int | Unknown = UNKNOWN
    """How many packages its lock holds, where one was made."""


class ProfilesCheckDocument(Record, frozen=True, kw_only=True):
    """`ok` is true where every profile can be read and resolves on every target."""

    schema: Literal["dlsetup.profiles-check/1"] = "dlsetup.profiles-check/1"
    ok: bool
    checked: tuple[Checked, ...]


def list_lines(profiles: tuple[Profile, ...]) -> Iterator[Line]:
    """Every profile with what it holds."""
    width = max((len(item.name) for item in profiles), default=0)
    for item in profiles:
        text = f"{item.title}: {', '.join((*item.frameworks, *item.packages))}"
        yield Line(mark=item.name.ljust(width), text=text, style="title")
        yield Line(text=item.summary, indent=width + 1, style="faint")


def profile_lines(profile: Profile, answer: Plan | Conflict) -> Iterator[Line]:
    """What a profile holds, what it is for, and what it becomes."""
    yield Line(text=profile.title, style="title")
    yield Line(text=profile.summary, indent=2)
    rows = (
        ("frameworks", ", ".join(profile.frameworks)),
        ("packages", ", ".join(profile.packages)),
        ("Python", profile.python),
        ("proves", ", ".join(profile.verify)),
    )
    for label, text in rows:
        if text:
            yield Line(mark=label.ljust(10), text=text, indent=2, style="faint")
    yield from (Line(mark="·", text=text, indent=2) for text in profile.notes)
    yield Line()
    if isinstance(answer, Conflict):
        yield from conflict_lines(answer)
        return
    yield from plan_lines(answer)
    if profile.verify:
        yield Line()
        yield Line(mark="hint:", text="an environment made of it proves that it works with", style="good")
        yield command(f"dlsetup verify --env NAME --only {','.join(profile.verify)}", indent=6)


def check_lines(document: ProfilesCheckDocument) -> Iterator[Line]:
    """A line for each profile and target."""
    for item in document.checked:
        mark, style = MARKS[item.outcome]
        where = "" if isinstance(item.target, Unknown) else f" on {item.target}"
        yield Line(mark=mark, text=f"{item.profile}{where}: {_outcome(item)}", style=style)


def _outcome(item: Checked) -> str:
    if isinstance(item.plan, Unknown):
        return f"{item.outcome}: {item.because}"
    brief = plan_in_brief(item.plan)
    if item.because:
        return f"{item.outcome}: {item.because}"
    return (
        brief
        if isinstance(item.packages, Unknown)
        else f"{brief}; {counted(item.packages, 'package')} locked"
    )
