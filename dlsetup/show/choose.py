"""A ranking of frameworks in words: stars in a table, what runs, why, and the command that makes it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Literal

from dlsetup.model.choosing import MOST_STARS, Criterion, Judgement, Ranked, Ranking
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.resolution import Plan
from dlsetup.model.source import Source
from dlsetup.show.catalog_document import Table
from dlsetup.show.catalog_table import source_lines, table_lines
from dlsetup.show.lines import Line, Style, command
from dlsetup.show.resolution import plan_in_brief

MARKS: dict[str, tuple[str, Style]] = {
    "works": ("✓", "good"),
    "old": ("!", "warning"),
    "cpu": ("!", "warning"),
    "none": ("✗", "bad"),
}


class Asked(Record, frozen=True, kw_only=True):
    """What was said, by the names that the options take."""

    task: str
    domain: str = ""
    knows: tuple[str, ...] = ()
    target: str


class Offer(Record, frozen=True, kw_only=True):
    """What makes an environment of the first place."""

    framework: str
    profile: str = ""
    """Empty: no profile begins with this framework and fits the target."""
    command: str
    plan: Plan


class ChooseDocument(Record, frozen=True, kw_only=True):
    """`ok` is true where a framework runs on the target."""

    schema: Literal["dlsetup.choose/1"] = "dlsetup.choose/1"
    ok: bool
    asked: Asked
    ranking: Ranking
    offer: Offer | Unknown = UNKNOWN
    criteria: tuple[Criterion, ...]
    sources: tuple[Source, ...]
    """Those that the judgements cite."""


def choose_lines(document: ChooseDocument, shown: int, *, explain: bool = False) -> Iterator[Line]:
    """The ranking; the first `shown` places with their reasons."""
    places = document.ranking.places
    where = document.asked.target
    if not isinstance(document.offer, Unknown):
        yield Line(mark="✓", text=f"{places[0].title} for {_purpose(document)} on {where}.", style="good")
    else:
        yield Line(mark="✗", text=f"None of these frameworks runs on {where}.", style="bad")
    if document.ranking.overruled:
        yield Line(mark="because", text=document.ranking.overruled, indent=2, style="faint")
    yield Line()
    yield from _stars(document, places)
    for number, item in enumerate(places, start=1):
        yield from _place(number, item, reasons=explain or number <= shown)
        if explain:
            yield from _judged(item, document.criteria)
    if explain:
        yield Line()
        yield from source_lines(document.sources)
    if not isinstance(document.offer, Unknown):
        yield Line()
        yield Line(mark="hint:", text="this makes it", style="good")
        yield command(document.offer.command, indent=6)


def _purpose(document: ChooseDocument) -> str:
    asked = document.asked
    return f"{asked.task} ({asked.domain})" if asked.domain else asked.task


def _stars(document: ChooseDocument, places: Sequence[Ranked]) -> Iterator[Line]:
    rows = tuple(
        {"framework": item.title, **{row.criterion: stars(row.stars) for row in item.stars}}
        for item in places
    )
    columns = ("framework", *(item.id for item in document.criteria))
    yield from table_lines(Table(name="choose", title="Judged by", columns=columns, rows=rows, sources=()))


def stars(count: int) -> str:
    return "★" * count + "☆" * (MOST_STARS - count)


def _place(number: int, item: Ranked, *, reasons: bool) -> Iterator[Line]:
    mark, style = MARKS["old" if item.quiet and item.fit.how == "works" else item.fit.how]
    yield Line(mark=f"{mark} {number}.", text=f"{item.title}: {_outcome(item)}", style=style)
    if reasons:
        yield from (Line(mark="because", text=text, indent=5, style="faint") for text in item.reasons)
        yield from (Line(mark="but    ", text=text, indent=5, style="faint") for text in item.drawbacks)
    for text in item.declining:
        yield Line(mark="declining", text=text, indent=5, style="warning")
    if reasons and item.fit.plan is not None:
        yield from (Line(mark="?", text=text, indent=5, style="warning") for text in item.fit.plan.unknown)


def _outcome(item: Ranked) -> str:
    fit = item.fit
    if fit.plan is None:
        return f"no build: {fit.because}"
    brief = plan_in_brief(fit.plan)
    if fit.how == "cpu":
        return f"on the CPU only, {brief}: {fit.because}"
    return f"{brief}: {fit.because}" if fit.because else brief


def _judged(item: Ranked, criteria: Sequence[Criterion]) -> Iterator[Line]:
    titles = {row.id: row.title for row in criteria}
    for row in item.stars:
        yield Line(mark=stars(row.stars), text=_sentence(row, titles), indent=5, style="faint")


def _sentence(row: Judgement, titles: dict[str, str]) -> str:
    return f"{titles[row.criterion]}: {row.because} [{row.source}]"


def cited(ranking: Ranking, sources: Collection[Source]) -> tuple[Source, ...]:
    """The sources of the judgements of a ranking."""
    named = {row.source for item in ranking.places for row in item.stars}
    return tuple(source for source in sources if source.id in named)
