"""What somebody wants, has and knows: out of options, or asked one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from msgspec.structs import replace

from dlsetup.commands.targets import Places
from dlsetup.intake.place import placed
from dlsetup.intake.target import parse
from dlsetup.model.choosing import Choosing, Domain, Said, Skill, Task
from dlsetup.model.errors import UsageError
from dlsetup.show.agreement import can_ask
from dlsetup.show.asking import ask_one, ask_some, ask_words

ANYTHING = "anything"
HERE, THERE = "here", "there"
Row = TypeVar("Row", Task, Domain, Skill)


def answers(
    task: str | None, domain: str | None, knows: Sequence[str], places: Places, known: Choosing
) -> tuple[Said, Places]:
    """What was said, and where. With a task nothing is asked; without one everything that no option says.

    Raises `UsageError` for names that are not known, and where nobody can be asked.
    """
    named = None if task is None else _named("task", task, known.tasks)
    about = _domain(domain, known)
    skills = tuple(_named("skill", name, known.skills) for name in dict.fromkeys(knows))
    if named is not None:
        return Said(task=named, domain=about, skills=skills), places
    if not can_ask():
        raise UsageError(
            "nobody can be asked what it is for: standard input is no terminal",
            hint=f"say it: `dlsetup choose --task {known.tasks[0].id}`; the tasks are {_list(known.tasks)}",
        )
    named = _named("task", ask_one("What is it for?", _offered(known.tasks), known.tasks[0].id), known.tasks)
    if domain is None:
        offered = ((ANYTHING, "anything, or several of these"), *_offered(known.domains))
        about = _domain(ask_one("What is it about?", offered, ANYTHING), known)
    if not skills:
        told = ask_some("What do you know already?", _offered(known.skills))
        skills = tuple(_named("skill", name, known.skills) for name in dict.fromkeys(told))
    return Said(task=named, domain=about, skills=skills), _place(places)


def _place(places: Places) -> Places:
    if places.foreign:
        return places
    offered = ((HERE, "on this machine"), (THERE, "on another one"))
    if ask_one("Where does it run?", offered, HERE) == HERE:
        return places
    words = ask_words('its words, as in os=linux,driver=535.129.03,gpu="A100"', _words)
    return replace(places, targets=(words,))


def _words(text: str) -> str:
    """The words of a target as they are, once they can be read."""
    said = placed(text)
    if said.words or not said.container:
        parse(said.words)
    return text


def _domain(name: str | None, known: Choosing) -> Domain | None:
    return None if name in (None, ANYTHING) else _named("domain", name or "", known.domains)


def _named(what: str, name: str, rows: Sequence[Row]) -> Row:
    for row in rows:
        if row.id == name:
            return row
    raise UsageError(f"there is no {what} `{name[:60]}`", hint=f"there are {_list(rows)}")


def _list(rows: Sequence[Row]) -> str:
    return ", ".join(row.id for row in rows)


def _offered(rows: Sequence[Row]) -> tuple[tuple[str, str], ...]:
    return tuple((row.id, row.title) for row in rows)
