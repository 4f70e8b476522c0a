"""Reads `choosing/*.toml`, curated: what speaks for each framework. Only who chooses needs it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from dlsetup.catalog.load import Places, opened
from dlsetup.model.choosing import (
    MOST_STARS,
    Choosing,
    Criterion,
    Decline,
    Domain,
    Judgement,
    Skill,
    Strength,
    Task,
)
from dlsetup.model.errors import DataError
from dlsetup.model.record import Record
from dlsetup.model.source import Source


class ChoosingFile(Record, frozen=True, kw_only=True):
    """`choosing/NAME.toml`: the questions, or what is known of one framework."""

    criterion: tuple[Criterion, ...] = ()
    task: tuple[Task, ...] = ()
    domain: tuple[Domain, ...] = ()
    skill: tuple[Skill, ...] = ()
    judgement: tuple[Judgement, ...] = ()
    strength: tuple[Strength, ...] = ()
    decline: tuple[Decline, ...] = ()
    source: tuple[Source, ...] = ()


def choosing(folders: Places = ()) -> Choosing:
    """All rows of all files. Raises `DataError` for a malformed file, or rows that do not go together."""
    found = choosing_rows(folders)
    for fault in faults_of(found, found.frameworks):
        raise DataError(f"choosing: {fault}")
    return found


def choosing_rows(folders: Places = ()) -> Choosing:
    """The same, whether they go together or not."""
    place = opened(folders)
    read = (place.toml(f"choosing/{name}.toml", ChoosingFile) for name in place.names("choosing", ".toml"))
    files = [file for file in read if file is not None]
    return Choosing(
        criteria=tuple(row for file in files for row in file.criterion),
        tasks=tuple(row for file in files for row in file.task),
        domains=tuple(row for file in files for row in file.domain),
        skills=tuple(row for file in files for row in file.skill),
        judgements=tuple(row for file in files for row in file.judgement),
        strengths=tuple(row for file in files for row in file.strength),
        declines=tuple(row for file in files for row in file.decline),
        sources=tuple(row for file in files for row in file.source),
    )


def faults_of(found: Choosing, frameworks: Collection[str]) -> Iterator[str]:
    """What makes the rows useless: a name that is not there, a judgement that is missing or stands twice."""
    criteria = [item.id for item in found.criteria]
    judged = Counter((item.framework, item.criterion) for item in found.judgements)
    for name in found.frameworks:
        for criterion in criteria:
            if judged[name, criterion] != 1:
                times = "not judged" if not judged[name, criterion] else "judged twice"
                yield f"`{name}` is {times} by `{criterion}`"
    for row in found.judgements:
        if not 1 <= row.stars <= MOST_STARS:
            yield f"`{row.framework}` has {row.stars} stars for `{row.criterion}`, not 1 to {MOST_STARS}"
    yield from _unknown("criterion", _criteria(found), criteria)
    yield from _unknown("framework of the catalog", found.frameworks, frameworks)
    yield from _unknown("framework that is judged", _meant(found), found.frameworks)
    domains = [item.id for item in found.domains]
    yield from _unknown("domain", (item.domain for item in found.strengths), domains)
    tasks = [item.id for item in found.tasks]
    yield from _unknown("task", (name for item in found.domains for name in item.profile_for), tasks)
    for group in (criteria, tasks, domains, [item.id for item in found.skills]):
        yield from (f"`{name}` stands twice" for name, count in Counter(group).items() if count > 1)


def _criteria(found: Choosing) -> Iterator[str]:
    yield from (item.criterion for item in found.judgements)
    yield from (name for item in found.tasks for name in item.weights)
    yield from (name for item in found.skills for name in item.weights)


def _meant(found: Choosing) -> Iterator[str]:
    """Frameworks that are spoken of beside their judgements."""
    yield from (item.default for item in found.tasks)
    yield from (item.framework for item in found.strengths)
    yield from (item.framework for item in found.declines)
    yield from (name for item in found.skills for name in item.frameworks)


def _unknown(what: str, names: Iterable[str], known: Collection[str]) -> Iterator[str]:
    for name in dict.fromkeys(names):
        if name not in known:
            yield f"there is no {what} `{name}`"
