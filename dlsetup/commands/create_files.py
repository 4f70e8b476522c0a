"""`dlsetup create files`: a plan as files of a project, new ones or those that are there."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from dlsetup.act.interruption import interruptible
from dlsetup.act.saving import save_all
from dlsetup.commands.asked import asked
from dlsetup.commands.conda_words import conda_words, on_conda
from dlsetup.commands.present_files import folder_of, present
from dlsetup.commands.resolve import Request as ResolveRequest
from dlsetup.commands.resolve import answer_for, wishes_on
from dlsetup.commands.resolve_lock import Locked, made_lock, must_serve, plans_to_keep
from dlsetup.commands.targets import targets_of
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Catalog
from dlsetup.model.listing import Reading
from dlsetup.model.record import UNKNOWN, Record
from dlsetup.model.resolution import Conflict, Plan, Together
from dlsetup.model.source import Source
from dlsetup.model.target import Target
from dlsetup.model.wish import Wish
from dlsetup.plan.draft import Draft, FileText, Unreadable, project_name
from dlsetup.plan.forms import Form, forms, is_wish
from dlsetup.plan.indexes import bare_address, parse_index, with_addresses
from dlsetup.show import json
from dlsetup.show.agreement import DECLINED, agreed, meanwhile, must_be_able_to_ask
from dlsetup.show.files import Change, FileChange, FilesDocument, change_lines, difference, end_line
from dlsetup.show.lines import Line, write
from dlsetup.show.reading import reading_lines
from dlsetup.show.resolution import conflict_lines, plan_lines, together_lines


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


def run(request: Request) -> int:
    """Write the files (0), say what stands against them (1), or nothing because the user says no (130)."""
    chosen = _chosen(request)
    folder = folder_of(request.into)
    if not (request.yes or request.dry_run):
        must_be_able_to_ask(hint="`--yes` goes ahead without a question, `--dry-run` shows the files.")
    there = present(folder, [name for form in chosen for name in form.files], force=request.force)
    said = asked(request.asked.question)
    places = request.asked.places
    targets = tuple(map(said.there, targets_of(places, request.asked.question.catalog)))
    wishes, readings = wishes_on(targets, said)
    found = _answer(request, chosen, wishes, targets, said.catalog)
    if isinstance(found.answer, Conflict):
        return _refuse(request, found._replace(readings=readings))
    found = found._replace(readings=readings, notes=(*found.notes, *_unread(request, folder, there)))
    draft = replace(found.draft, present=there, project=_name(folder, found.draft.plans))
    made = [(form, file) for form in chosen for file in _files(form, draft, force=request.force)]
    _check(made, targets, said.catalog)
    changes = tuple(_change(request, form, file, draft) for form, file in made)
    texts = {Path(folder, file.name): file.text for _, file in made if file.text != draft.text_of(file.name)}
    with interruptible():
        return _settle(request, found, said.catalog, changes, texts)


def _chosen(request: Request) -> list[Form]:
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


def _answer(
    request: Request,
    chosen: list[Form],
    wishes: tuple[Wish, ...],
    targets: tuple[Target, ...],
    catalog: Catalog,
) -> Answer:
    """The plans, and the lock where a form is made of one."""
    cpu, allow = wishes[0].accelerator == "cpu", wishes[0].allow_cpu
    if any(form.locked for form in chosen):
        made = made_lock(request.asked, wishes, targets, catalog)
        if isinstance(made, Locked):
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
    if not request.conda_forge:
        return found._replace(draft=replace(found.draft, more=more), notes=tuple(notes))
    notes.append("conda solves for itself: patch releases may differ from the plan's")
    draft = replace(found.draft, more=more, conda=conda_words(plans, catalog))
    return Answer(on_conda(found.answer), draft, learned=found.learned, notes=tuple(notes))


def _unread(request: Request, folder: str, there: tuple[tuple[str, str], ...]) -> Iterator[str]:
    """Files that are there, and whose other wishes the plan does not know."""
    read = {os.path.realpath(path) for path in request.asked.question.files}
    for name, text in there:
        path = os.path.join(request.into, name) if request.into != "." else name
        if text.strip() and os.path.realpath(os.path.join(folder, name)) not in read and is_wish(name, text):
            yield f"what else {path} asks for was not heeded: `-r {shlex.quote(path)}` does"


def _name(folder: str, plans: tuple[Plan, ...]) -> str:
    requirements = (Requirement(text).name for plan in plans for text in plan.requirements)
    return project_name(os.path.basename(folder), [canonicalize_name(name) for name in requirements])


def _files(form: Form, draft: Draft, *, force: bool) -> tuple[FileText, ...]:
    """With `force` what cannot be edited is replaced."""
    try:
        return form.write(draft)
    except Unreadable:
        if not force:
            raise
        rest = tuple((name, text) for name, text in draft.present if name not in form.files)
        return form.write(replace(draft, present=rest))


def _check(made: list[tuple[Form, FileText]], targets: tuple[Target, ...], catalog: Catalog) -> None:
    for form, file in made:
        if form.locked and "[tool.dlsetup]" in file.text:
            must_serve(file.text, file.name, targets, catalog)


def _change(request: Request, form: Form, file: FileText, draft: Draft) -> FileChange:
    before = draft.text_of(file.name)
    path = os.path.join(request.into, file.name) if request.into != "." else file.name
    kept = before is not None and before.strip()
    change: Change = "same" if before == file.text else "changed" if kept else "new"
    diff = difference(path, before or "", file.text)
    return FileChange(path=path, form=form.name, change=change, diff=diff, notes=file.notes)


def _settle(
    request: Request,
    found: Answer,
    catalog: Catalog,
    changes: tuple[FileChange, ...],
    texts: dict[Path, str],
) -> int:
    as_json, asks = request.asked.as_json, bool(texts) and not (request.yes or request.dry_run)
    meanwhile(_lines(request, found, catalog, changes), as_json=as_json, asks=asks)
    declined = asks and not agreed(f"Write {len(texts)} file{'s' if len(texts) > 1 else ''}?")
    written = bool(texts) and not (declined or request.dry_run)
    if written:
        save_all(texts)
    if as_json:
        json.write(_document(found, changes, written=written))
    else:
        write([Line(), end_line(changes, written=written)])
    return DECLINED if declined else 0


def _lines(
    request: Request, found: Answer, catalog: Catalog, changes: tuple[FileChange, ...]
) -> Iterator[Line]:
    own = tuple(source for framework in catalog.frameworks for source in framework.sources)
    sources: tuple[Source, ...] = own + catalog.hardware.sources
    yield from reading_lines(found.readings)
    if isinstance(found.answer, Plan):
        yield from plan_lines(found.answer, sources, explain=request.asked.explain)
    elif isinstance(found.answer, Together):
        yield from together_lines(found.answer, sources, explain=request.asked.explain)
    yield from (Line(mark="!", text=text, style="warning") for text in (*found.learned, *found.notes))
    yield from change_lines(changes)


def _document(found: Answer, changes: tuple[FileChange, ...], *, written: bool) -> FilesDocument:
    return FilesDocument(
        ok=True,
        written=written,
        changes=changes,
        plan=found.answer if isinstance(found.answer, Plan) else UNKNOWN,
        together=found.answer if isinstance(found.answer, Together) else UNKNOWN,
        learned=found.learned,
        notes=found.notes,
        files=found.readings or UNKNOWN,
    )


def _refuse(request: Request, found: Answer) -> int:
    if not isinstance(found.answer, Conflict):
        return 0
    if request.asked.as_json:
        files = found.readings or UNKNOWN
        json.write(FilesDocument(ok=False, conflict=found.answer, learned=found.learned, files=files))
    else:
        write(reading_lines(found.readings))
        write(conflict_lines(found.answer))
        write(Line(mark="!", text=text, style="warning") for text in found.learned)
    return 1
