"""Frameworks in the order in which they suit somebody: what he said, what is judged, what runs."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence

from dlsetup.model.choosing import Choosing, Fit, Judgement, Ranked, Ranking, Said
from dlsetup.model.framework import Catalog, Framework
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.resolve.fitting import newest_of

STRENGTH = 6
"""Points for a fact that speaks for a framework in the domain."""
SKILL = 8
"""Points for a framework that is used like something that is known."""
TOLD = 2
"""How many of the weightiest judgements are told."""
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
        (_ranked(name, points[name], said, choosing, fits[name], catalog) for name in fits),
        key=lambda item: (*_rank(item, said), -item.points, item.framework != default, item.title),
    )
    return Ranking(places=tuple(places), default=default, overruled=_overruled(places, said))


def _rank(item: Ranked, said: Said) -> tuple[bool, bool, int]:
    """The lower, the better: whether it runs, whether it lives, whether it has a drawback."""
    how = item.fit.how
    order = 0 if how == "cpu" and said.task.cpu_will_do else ORDER[how]
    return how == "none", any(item.declining) and _ended(item), order


def _ended(item: Ranked) -> bool:
    return any(text.startswith(ENDED) for text in item.declining)


ENDED = "no release since "


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


def _strengths(said: Said, choosing: Choosing, name: str) -> Iterator[str]:
    for row in choosing.strengths:
        if said.domain is not None and (row.framework, row.domain) == (name, said.domain.id):
            yield row.because


def _ranked(
    name: str, points: int, said: Said, choosing: Choosing, fit: Fit, catalog: Catalog
) -> Ranked:
    framework = catalog.framework(name)
    newest = None if framework is None else newest_of(framework)
    return Ranked(
        framework=name,
        title=name if framework is None else framework.title,
        points=points,
        stars=choosing.judged(name),
        reasons=tuple(_reasons(name, said, choosing)),
        fit=fit,
        newest=UNKNOWN if newest is None else newest.version,
        released=UNKNOWN if newest is None else newest.released,
        declining=tuple(_declining(name, framework, choosing, catalog.checked)),
    )


def _reasons(name: str, said: Said, choosing: Choosing) -> Iterator[str]:
    if name == said.task.default:
        yield said.task.because
    yield from (skill.because for skill in said.skills if name in skill.frameworks)
    yield from _strengths(said, choosing, name)
    weights = said.task.weights
    weighed = [item for item in choosing.judged(name) if weights.get(item.criterion, 0)]
    weighed.sort(key=lambda item: -weights[item.criterion])
    yield from (_told(item, choosing) for item in weighed[:TOLD])


def _told(item: Judgement, choosing: Choosing) -> str:
    title = next(row.title for row in choosing.criteria if row.id == item.criterion)
    return f"{title}: {item.because}"


def _declining(
    name: str, framework: Framework | None, choosing: Choosing, checked: str
) -> Iterator[str]:
    """That nothing was released for a year before the catalog was checked, and what else is known."""
    newest = None if framework is None else newest_of(framework)
    if newest is not None and not isinstance(newest.released, Unknown) and checked:
        if _days(checked) - _days(newest.released) > QUIET_DAYS:
            ended = framework.ended if framework else None
            instead = f"; take instead: {ended.instead}" if ended else ""
            yield f"{ENDED}{newest.version} of {newest.released}{instead}"
    yield from (row.fact for row in choosing.declines if row.framework == name)


def _overruled(places: Sequence[Ranked], said: Said) -> str:
    default = next((item for item in places if item.framework == said.task.default), None)
    first = places[0] if places else None
    if first is None or default is None or first is default:
        return ""
    start = f"{said.task.title.partition(':')[0]} usually begins with {default.title}"
    if _rank(default, said) > _rank(first, said):
        return f"{start}, but here {default.fit.because or default.declining[0]}"
    return f"{start}, but what was said weighs more for {first.title}"


def _days(date: str) -> int:
    return datetime.date.fromisoformat(date).toordinal()
