"""`dlsetup resolve`: which builds work together, and why, or what stands against it; and their lock."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from dlsetup.commands.asked import Asked, asked
from dlsetup.commands.question import Question
from dlsetup.commands.targets import Places, targets_of
from dlsetup.model.framework import Catalog
from dlsetup.model.listing import Reading
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.resolution import Conflict, Plan, Together
from dlsetup.model.source import Source
from dlsetup.model.target import Target
from dlsetup.model.wish import Wish
from dlsetup.resolve import resolve, resolve_each, resolve_together
from dlsetup.show import json
from dlsetup.show.lines import Line, write
from dlsetup.show.reading import reading_lines
from dlsetup.show.resolution import conflict_lines, plan_lines, together_lines


class Request(Record, frozen=True, kw_only=True):
    """The words of `resolve`, as they were typed."""

    question: Question
    places: Places = Places()
    lock: str | None = None
    """File that the lock goes to."""
    indexes: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    offline: bool = False
    as_json: bool = False
    explain: bool = False


def run(request: Request) -> int:
    """Print the plan (0) or the conflict (1), and write the lock where one is asked for."""
    if request.lock is not None:
        from dlsetup.commands.resolve_lock import check_name

        check_name(request.lock)
    said = asked(request.question)
    catalog = said.catalog
    targets = tuple(map(said.there, targets_of(request.places, request.question.catalog)))
    wishes, readings = wishes_on(targets, said)
    lock: json.WrittenLock | Unknown = UNKNOWN
    learned: tuple[str, ...] = ()
    if request.lock is None:
        answer = answer_for(wishes, targets, catalog, explain=request.explain)
    else:
        from dlsetup.commands.resolve_lock import write_lock

        answer, lock, learned = write_lock(request, wishes, targets, catalog)
    if request.as_json:
        json.write(replace(json.ResolveDocument.of(answer, lock), files=readings or UNKNOWN))
    else:
        write(reading_lines(readings))
        write(_lines(request, answer, catalog, lock))
        write(Line(mark="!", text=text, style="warning") for text in learned)
    return 1 if isinstance(answer, Conflict) else 0


def wishes_on(targets: tuple[Target, ...], said: Asked) -> tuple[tuple[Wish, ...], tuple[Reading, ...]]:
    """The wish of each target, which the markers of a file may make another, and what was read."""
    found = [said.on(target) for target in targets]
    return tuple(wish for wish, _ in found), tuple(
        _joined(readings) for readings in zip(*(readings for _, readings in found), strict=True)
    )


def _joined(readings: tuple[Reading, ...]) -> Reading:
    """What was made of one file on all targets: left is what none of them takes."""
    first, *others = readings
    if not others:
        return first
    taken = {said.where + said.text for item in readings for said in (*item.frameworks, *item.packages)}
    return replace(
        first,
        frameworks=tuple(dict.fromkeys(said for item in readings for said in item.frameworks)),
        packages=tuple(dict.fromkeys(said for item in readings for said in item.packages)),
        notes=tuple(dict.fromkeys(note for item in readings for note in item.notes)),
        left=tuple(
            dict.fromkeys(
                left for item in readings for left in item.left if left.where + left.text not in taken
            )
        ),
    )


def answer_for(
    wishes: tuple[Wish, ...], targets: tuple[Target, ...], catalog: Catalog, *, explain: bool = False
) -> Plan | Together | Conflict:
    """The plan or the plans, or what stands against them."""
    if len(targets) == 1:
        return resolve(wishes[0], targets[0], catalog, explain=explain)
    if any(wish != wishes[0] for wish in wishes):
        return resolve_each(wishes, targets, catalog)
    return resolve_together(wishes[0], targets, catalog)


def _lines(
    request: Request, answer: Plan | Together | Conflict, catalog: Catalog, lock: json.WrittenLock | Unknown
) -> Iterator[Line]:
    if isinstance(answer, Conflict):
        yield from conflict_lines(answer)
    elif isinstance(answer, Together):
        yield from together_lines(answer, _sources(catalog), explain=request.explain)
    else:
        yield from plan_lines(answer, _sources(catalog), explain=request.explain)
    if not isinstance(lock, Unknown):
        from dlsetup.show.locked import written_lines

        yield from written_lines(lock)


def _sources(catalog: Catalog) -> tuple[Source, ...]:
    own = tuple(source for framework in catalog.frameworks for source in framework.sources)
    return own + catalog.hardware.sources
