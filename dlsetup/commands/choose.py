"""`dlsetup choose`: which framework for what, crossed with what runs on the target; ends in a command."""

from __future__ import annotations

from msgspec.structs import replace

from dlsetup.catalog.choosing import choosing
from dlsetup.catalog.load import load, opened
from dlsetup.commands.choose_answers import answers
from dlsetup.commands.choose_offer import offer_for
from dlsetup.commands.question import Question, folders, wish_of
from dlsetup.commands.targets import Places, targets_of
from dlsetup.model.choosing import Choosing, Fit
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Catalog
from dlsetup.model.record import UNKNOWN, Record
from dlsetup.model.target import Target
from dlsetup.resolve.fitting import fit_of
from dlsetup.resolve.ranking import ranking
from dlsetup.show import json
from dlsetup.show.choose import Asked, ChooseDocument, choose_lines, cited
from dlsetup.show.lines import write


class Request(Record, frozen=True, kw_only=True):
    """The words of `choose`, as they were typed."""

    question: Question
    places: Places = Places()
    task: str | None = None
    domain: str | None = None
    knows: tuple[str, ...] = ()
    top: str = "3"
    explain: bool = False
    as_json: bool = False


def run(request: Request) -> int:
    """Print the ranking and the command of the first place (0), or say that nothing runs there (1)."""
    shown = _top(request.top)
    if len(request.places.machines) + len(request.places.targets) > 1:
        raise UsageError("several targets are named", hint="ask for each of them by itself")
    place = opened(folders(request.question.catalog))
    known = choosing(place)
    said, places = answers(request.task, request.domain, request.knows, request.places, known)
    (target,) = targets_of(places, request.question.catalog)
    catalog = load(known.frameworks, place)
    found = ranking(said, known, _fits(request.question, known, target, catalog), catalog)
    offer = offer_for(found, said, target, request.question, places)
    document = ChooseDocument(
        ok=offer is not None,
        asked=Asked(
            task=said.task.id,
            domain=said.domain.id if said.domain else "",
            knows=tuple(item.id for item in said.skills),
            target=target.name,
        ),
        ranking=found,
        offer=UNKNOWN if offer is None else offer,
        criteria=known.criteria,
        sources=cited(found, known.sources),
    )
    if request.as_json:
        json.write(document)
    else:
        write(choose_lines(document, shown, explain=request.explain))
    return 0 if document.ok else 1


def _fits(question: Question, known: Choosing, target: Target, catalog: Catalog) -> dict[str, Fit]:
    wishes = {name: wish_of(replace(question, frameworks=(name,))) for name in known.frameworks}
    return {name: fit_of(wish, target, catalog) for name, wish in wishes.items()}


def _top(text: str) -> int:
    if text.isascii() and text.isdigit() and int(text[:3]) >= 1 and len(text) <= 3:
        return int(text)
    raise UsageError(f"`{text[:40]}` is no number of places", hint="`--top 3`")
