"""`dlsetup explain`: what a message means, why it comes, what to look at and what to do."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from msgspec.structs import replace

from dlsetup.catalog.load import Places, opened
from dlsetup.commands.explained import Known, Looked, Together, answer, elsewhere, text_of_words, told_by
from dlsetup.commands.question import folders, machine_of
from dlsetup.intake.texts import Text, texts_of
from dlsetup.judge.explaining import for_machine, named, nearest
from dlsetup.model.errors import UsageError
from dlsetup.model.explanation import Answer
from dlsetup.model.machine import Machine
from dlsetup.model.record import Record
from dlsetup.show import json
from dlsetup.show.explain import ExplainDocument, Listed, answer_lines, list_lines
from dlsetup.show.facts import facts_of
from dlsetup.show.lines import write

HINT = "give the text in quotes, pipe it in, or name a file: `dlsetup explain --from train.log`"


class Request(Record, frozen=True, kw_only=True):
    """The words of `explain`, as they were typed."""

    words: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    environment: str | None = None
    machine_file: str | None = None
    every: bool = False
    """List what can be explained."""
    catalog: tuple[str, ...] = ()
    as_json: bool = False
    verbose: bool = False


def run(request: Request) -> int:
    """Print the explanation. 1 where nothing in the text is known."""
    places = opened(folders(request.catalog))
    known = Known.of(places)
    if request.every:
        return _list(request, known)
    found = _by_name(request, known, places) or _by_text(request, known, places)
    if request.as_json:
        json.write(ExplainDocument.of(found))
    else:
        near = nearest(request.words[0], known.explanations) if len(request.words) == 1 else ""
        write(answer_lines(found, verbose=request.verbose, again=request.reports, near=near))
    return 0 if found.explained else 1


def _list(request: Request, known: Known) -> int:
    rows = tuple(
        Listed(id=item.id, title=item.title, messages=item.messages, ends=item.ends)
        for item in known.explanations.explanations
        if not item.aside
    )
    if request.as_json:
        json.write(ExplainDocument(ok=True, known=rows))
    else:
        write(list_lines(rows))
    return 0


def _by_name(request: Request, known: Known, places: Places) -> Answer | None:
    """The explanation whose id, or one of whose signatures, is all that was said."""
    if len(request.words) != 1 or request.reports:
        return None
    row = named(request.words[0], known.explanations)
    if row is None:
        return None
    looked = _looked(request, places)
    facts = facts_of(looked.machine, looked.use)
    filled = for_machine(row, known.explanations, facts, looked.machine.system.os)
    return Answer(explained=(filled,))


def _by_text(request: Request, known: Known, places: Places) -> Answer:
    told = told_by(_texts(request), known)
    looked = _looked(request, places)
    why = "" if request.machine_file is not None else elsewhere(looked.machine, told)
    if why:
        return replace(answer(Together.of(told, Looked(told), known), known), about=why)
    return answer(Together.of(told, looked, known), known)


def _texts(request: Request) -> Sequence[Text]:
    """What is to be explained. Raises `UsageError` where there is nothing."""
    if request.words and request.reports:
        raise UsageError("both a text and `--from` are given", hint="leave out one of them")
    if request.words and request.words != ("-",):
        texts: Sequence[Text] = (text_of_words(request.words),)
    elif request.reports:
        texts = texts_of(request.reports)
    elif request.words or not sys.stdin.isatty():
        texts = texts_of(["-"])
    else:
        raise UsageError("there is no text to explain", hint=HINT)
    if all(not text.data.strip() for text in texts):
        raise UsageError("there is nothing to read", hint=HINT)
    return texts


def _looked(request: Request, places: Places) -> Looked:
    """This machine as it is now, or a saved one as it was."""
    machine: Machine = machine_of(request.machine_file, request.environment, places)
    if request.machine_file is not None:
        return Looked(machine)
    from dlsetup.probe.host import Host
    from dlsetup.probe.use import use

    return Looked(machine, use(Host.here(os.environ)))
