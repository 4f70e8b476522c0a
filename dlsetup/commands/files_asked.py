"""What was asked of `create files`, and the draft that its forms are made from."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from dlsetup.commands.conda_locks import FORM, Solving, Taught
from dlsetup.commands.conda_words import conda_words, environments, on_conda
from dlsetup.commands.locking import ROUNDS
from dlsetup.commands.resolve import Request as ResolveRequest
from dlsetup.commands.resolve import answer_for
from dlsetup.commands.resolve_lock import Refused, made_lock, plans_to_keep
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Catalog
from dlsetup.model.listing import Reading
from dlsetup.model.record import Record
from dlsetup.model.resolution import Conflict, Plan, Together
from dlsetup.model.target import Target
from dlsetup.model.wish import Wish
from dlsetup.plan.draft import Draft, project_name
from dlsetup.plan.forms import Form, forms, is_wish
from dlsetup.plan.indexes import bare_address, parse_index, with_addresses


class Request(Record, frozen=True, kw_only=True):
    """The words of `create files`, as they were typed."""

    asked: ResolveRequest
    """What it shares with `resolve`."""
    forms: tuple[str, ...] = ()
    into: str = "."
    conda_forge: bool = False
    dry_run: bool = False
    force: bool = False
    yes: bool = False


class Answer(NamedTuple):
    """What was found out before a file is made."""

    answer: Plan | Together | Conflict
    draft: Draft
    readings: tuple[Reading, ...] = ()
    learned: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def chosen_forms(request: Request) -> list[Form]:
    known = forms()
    if not request.forms:
        raise UsageError("no form is named", hint=f"add `--form`: {', '.join(known)}")
    for name in request.forms:
        if name not in known:
            raise UsageError(f"there is no form `{name}`", hint=f"the forms are {', '.join(known)}")
    if request.conda_forge and set(request.forms) != {"pixi"}:
        raise UsageError("only pixi takes builds of conda-forge", hint="leave out `--conda-forge`")
    for text in request.asked.indexes:
        parse_index(text)
    return [known[name] for name in dict.fromkeys(request.forms)]


def answered(
    request: Request,
    chosen: list[Form],
    wishes: tuple[Wish, ...],
    targets: tuple[Target, ...],
    catalog: Catalog,
) -> Answer:
    """The plans, and the locks where a form is made of them. What a solver refuses is not planned again."""
    if FORM not in request.forms:
        return _answered(request, chosen, wishes, targets, catalog)
    solving = Solving(wishes[0], offline=request.asked.offline)
    learned: tuple[str, ...] = ()
    for _ in range(ROUNDS):
        found = _answered(request, chosen, wishes, targets, catalog)
        if isinstance(found.answer, Conflict):
            return found._replace(learned=(*found.learned, *learned))
        together = found.answer if isinstance(found.answer, Together) else Together(plans=found.draft.plans)
        told = (*found.learned, *learned)
        try:
            locks = solving.locks(together, catalog, told)
        except Taught as again:
            last, catalog = again.error, again.catalog
            learned = (*learned, again.error.message)
            continue
        draft = replace(found.draft, conda_locks=locks)
        return found._replace(draft=draft, learned=told, notes=(*found.notes, *solving.notes))
    raise last


def _answered(
    request: Request,
    chosen: list[Form],
    wishes: tuple[Wish, ...],
    targets: tuple[Target, ...],
    catalog: Catalog,
) -> Answer:
    cpu, allow = wishes[0].accelerator == "cpu", wishes[0].allow_cpu
    if any(form.locked for form in chosen):
        made = made_lock(request.asked, wishes, targets, catalog)
        if isinstance(made, Refused):
            return Answer(made.answer, Draft(plans=()), learned=made.learned)
        draft = Draft(plans=made.plans, lock=made.text, note=made.note, cpu=cpu, allow_cpu=allow)
        return _further(request, Answer(made.answer, draft, learned=made.note.learned), catalog)
    answer = answer_for(wishes, targets, catalog, explain=request.asked.explain)
    if isinstance(answer, Conflict):
        return Answer(answer, Draft(plans=()))
    plans = (answer,) if isinstance(answer, Plan) else answer.plans
    plans = plans_to_keep(plans, request.asked.indexes, catalog)
    kept = plans[0] if isinstance(answer, Plan) else replace(answer, plans=plans)
    return _further(request, Answer(kept, Draft(plans=plans, cpu=cpu, allow_cpu=allow)), catalog)


def _further(request: Request, found: Answer, catalog: Catalog) -> Answer:
    """With indexes that were named and belong to no pick, as they may be kept, and what is not kept."""
    plans = found.draft.plans
    given = [parse_index(text) for text in request.asked.indexes]
    rests = [with_addresses(plan, given, catalog.indexes)[1] for plan in plans]
    shared = [index for index in rests[0] if all(index in rest for rest in rests)]
    more = tuple(replace(index, url=bare_address(index.url)) for index in shared)
    notes = [
        f"{bare_address(index.url)} is written without its user and password, which uv's settings may hold"
        for index in given
        if index.url != bare_address(index.url)
    ]
    if request.asked.find_links:
        notes.append("`--find-links` is not written: it says where files lie on this machine")
    if "conda" in request.forms:
        found = found._replace(draft=replace(found.draft, environments=environments(plans, catalog)))
    if request.conda_forge or {"conda", FORM} & set(request.forms):
        notes.append("conda solves for itself: patch releases may differ from the plan's")
    if not request.conda_forge:
        return found._replace(draft=replace(found.draft, more=more), notes=tuple(notes))
    draft = replace(found.draft, more=more, conda=conda_words(plans, catalog))
    return Answer(on_conda(found.answer), draft, learned=found.learned, notes=tuple(notes))


def unread(request: Request, folder: str, there: tuple[tuple[str, str], ...]) -> Iterator[str]:
    """Files that are there, and whose other wishes the plan does not know."""
    read = {os.path.realpath(path) for path in request.asked.question.files}
    for name, text in there:
        path = os.path.join(request.into, name) if request.into != "." else name
        if text.strip() and os.path.realpath(os.path.join(folder, name)) not in read and is_wish(name, text):
            yield f"what else {path} asks for was not heeded: `-r {shlex.quote(path)}` does"


def project_of(folder: str, plans: tuple[Plan, ...]) -> str:
    requirements = (Requirement(text).name for plan in plans for text in plan.requirements)
    return project_name(os.path.basename(folder), [canonicalize_name(name) for name in requirements])


def twins_of(draft: Draft, catalog: Catalog) -> Iterator[tuple[str, str]]:
    """The names under which the frameworks of the plans may be installed, where there are several."""
    for framework in catalog.frameworks:
        for group in framework.twins:
            if draft.names & set(group):
                yield from ((name, group[0]) for name in group)


def parts_of(request: Request, folder: str) -> tuple[tuple[str, str], ...]:
    """Extras and groups of the project that is written to."""
    asked = request.asked.question
    if not any(os.path.realpath(path) == os.path.join(folder, "pyproject.toml") for path in asked.files):
        return ()
    found = [("extra", name) for name in asked.extras] + [("group", name) for name in asked.groups]
    return tuple((kind, canonicalize_name(name)) for kind, name in found)
