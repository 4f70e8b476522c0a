"""Frameworks in the order in which they suit somebody: what he said, what is judged, what runs."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from dlsetup.model.choosing import Choosing, Fit, Judgement, Ranked, Ranking, Said
from dlsetup.model.framework import Build, Catalog, Framework
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.resolve.fitting import newest_of

STRENGTH = 6
"""Points for a fact that speaks for a framework in the domain."""
SKILL = 8
"""Points for a framework that is used like something that is known."""
TOLD = 2
"""How many of the weightiest judgements are told."""
GOOD, VERY_GOOD = 3, 4
"""With fewer stars than that a judgement speaks against a framework; with so many, for it."""
QUIET_DAYS = 365
ORDER = {"works": 0, "old": 1, "cpu": 2, "none": 3}


def ranking(said: Said, choosing: Choosing, fits: Mapping[str, Fit], catalog: Catalog) -> Ranking:
    """The frameworks that were tried, the best first.

    What does not run comes last, what has ended before it; a drawback comes before points. The default of
    the task has at least the points of the best by the task alone: only what was said beside it, or the
    target, puts another one first.
    """
    base = {name: _base(said, choosing, name) for name in fits}
    default = said.task.default
    if default in base:
        base[default] = max(base.values())
    points = {name: base[name] + _said(said, choosing, name) for name in fits}
    places = sorted(
        (_ranked(name, points[name], said, choosing, fit, catalog) for name, fit in fits.items()),
        key=lambda item: (*_rank(item), -item.points, item.framework != default, item.title),
    )
    return Ranking(places=tuple(places), default=default, overruled=_overruled(places, said, choosing))


def _rank(item: Ranked) -> tuple[bool, bool, int]:
    """The lower, the better: whether it runs, whether it lives, whether it has a drawback."""
    return item.fit.how == "none", item.quiet, ORDER[item.fit.how]


def _as_meant(fit: Fit, said: Said) -> Fit:
    """A build for the CPU is no drawback where the work is done on other devices."""
    if said.task.cpu_will_do and fit.how == "cpu" and fit.conflict is None:
        return replace(fit, how="works", because="")
    return fit


def _base(said: Said, choosing: Choosing, name: str) -> int:
    """What the task makes of the judgements."""
    return sum(said.task.weights.get(item.criterion, 0) * item.stars for item in choosing.judged(name))


def _said(said: Said, choosing: Choosing, name: str) -> int:
    """What domain and skills add."""
    strong = any(_strengths(said, choosing, name))
    known = sum(name in skill.frameworks for skill in said.skills)
    more = sum(
        skill.weights.get(item.criterion, 0) * item.stars
        for skill in said.skills
        for item in choosing.judged(name)
    )
    return STRENGTH * strong + SKILL * known + more


def _of_person(said: Said, choosing: Choosing, name: str) -> Iterator[str]:
    """What speaks for a framework in what somebody said beside the task."""
    yield from (skill.because for skill in said.skills if name in skill.frameworks)
    yield from _strengths(said, choosing, name)
    good = {item.criterion for item in choosing.judged(name) if item.stars >= VERY_GOOD}
    yield from (skill.because for skill in said.skills if good & set(skill.weights))


def _strengths(said: Said, choosing: Choosing, name: str) -> Iterator[str]:
    for row in choosing.strengths:
        if said.domain is not None and (row.framework, row.domain) == (name, said.domain.id):
            yield row.because


def _ranked(name: str, points: int, said: Said, choosing: Choosing, fit: Fit, catalog: Catalog) -> Ranked:
    framework = catalog.framework(name)
    newest = None if framework is None else newest_of(framework)
    quiet = _quiet(newest, framework, catalog.checked)
    facts = tuple(row.fact for row in choosing.declines if row.framework == name)
    return Ranked(
        framework=name,
        title=name if framework is None else framework.title,
        points=points,
        stars=choosing.judged(name),
        reasons=tuple(_reasons(name, said, choosing)),
        drawbacks=tuple(_drawbacks(name, said, choosing)),
        fit=_as_meant(fit, said),
        newest=UNKNOWN if newest is None else newest.version,
        released=UNKNOWN if newest is None else newest.released,
        quiet=bool(quiet),
        declining=(*filter(None, [quiet]), *facts),
    )


def _reasons(name: str, said: Said, choosing: Choosing) -> Iterator[str]:
    if name == said.task.default:
        yield said.task.because
    yield from _of_person(said, choosing, name)
    yield from (_told(item, choosing) for item in _weighed(name, said, choosing) if item.stars >= GOOD)


def _drawbacks(name: str, said: Said, choosing: Choosing) -> Iterator[str]:
    yield from (_told(item, choosing) for item in _weighed(name, said, choosing) if item.stars < GOOD)


def _weighed(name: str, said: Said, choosing: Choosing) -> list[Judgement]:
    """The judgements that count most for the task."""
    weights = said.task.weights
    found = [item for item in choosing.judged(name) if weights.get(item.criterion, 0)]
    return sorted(found, key=lambda item: -weights[item.criterion])[:TOLD]


def _told(item: Judgement, choosing: Choosing) -> str:
    title = next(row.title for row in choosing.criteria if row.id == item.criterion)
    return f"{title}: {item.because}"


def _quiet(newest: Build | None, framework: Framework | None, checked: str) -> str:
    """That nothing was released for a year before the catalog was checked; empty where that is not so."""
    if newest is None or isinstance(newest.released, Unknown) or not checked:
        return ""
    days = datetime.date.fromisoformat(checked) - datetime.date.fromisoformat(newest.released)
    if days.days <= QUIET_DAYS:
        return ""
    instead = f"; take instead: {framework.ended.instead}" if framework and framework.ended else ""
    return f"no release since {newest.version} of {newest.released}{instead}"


def _overruled(places: Sequence[Ranked], said: Said, choosing: Choosing) -> str:
    """Why the default does not come first; empty where it does."""
    default = next((item for item in places if item.framework == said.task.default), None)
    if default is None or places[0] is default:
        return ""
    start = f"{said.task.title.partition(':')[0]} usually begins with {default.title}"
    if _rank(default) > _rank(places[0]):
        return f"{start}, but {default.fit.because or default.declining[0]}"
    person = list(_of_person(said, choosing, places[0].framework))
    return f"{start}, but for {places[0].title} speaks: {'; '.join(person)}"
