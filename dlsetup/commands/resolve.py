"""`dlsetup resolve`: which builds work together, and why, or what stands against it."""

from __future__ import annotations

from msgspec.structs import replace

from dlsetup.commands.asked import asked
from dlsetup.commands.question import Question, buildable_target_of
from dlsetup.model.framework import Catalog
from dlsetup.model.record import UNKNOWN
from dlsetup.model.resolution import Plan
from dlsetup.model.source import Source
from dlsetup.resolve import resolve
from dlsetup.show import json
from dlsetup.show.lines import write
from dlsetup.show.reading import reading_lines
from dlsetup.show.resolution import conflict_lines, plan_lines


def run(question: Question, *, as_json: bool = False, explain: bool = False) -> int:
    """Print the plan (0) or the conflict (1)."""
    request = asked(question)
    target, catalog = request.there(buildable_target_of(question)), request.catalog
    wish, readings = request.on(target)
    answer = resolve(wish, target, catalog)
    if as_json:
        json.write(replace(json.ResolveDocument.of(answer), files=readings or UNKNOWN))
        return 0 if isinstance(answer, Plan) else 1
    write(reading_lines(readings))
    if isinstance(answer, Plan):
        write(plan_lines(answer, _sources(catalog), explain=explain))
    else:
        write(conflict_lines(answer))
    return 0 if isinstance(answer, Plan) else 1


def _sources(catalog: Catalog) -> tuple[Source, ...]:
    own = tuple(source for framework in catalog.frameworks for source in framework.sources)
    return own + catalog.hardware.sources
