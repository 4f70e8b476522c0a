"""`dlsetup create files`: a plan as files of a project, new ones or those that are there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from dlsetup.act.interruption import interruptible
from dlsetup.act.saving import save_all
from dlsetup.commands.asked import asked
from dlsetup.commands.files_asked import (
    Answer,
    Request,
    answered,
    chosen_forms,
    parts_of,
    project_of,
    twins_of,
    unread,
)
from dlsetup.commands.present_files import folder_of, present
from dlsetup.commands.resolve import wishes_on
from dlsetup.commands.resolve_lock import must_serve
from dlsetup.commands.targets import targets_of
from dlsetup.model.framework import Catalog
from dlsetup.model.record import UNKNOWN
from dlsetup.model.resolution import Conflict, Plan, Together
from dlsetup.model.source import Source
from dlsetup.model.target import Target
from dlsetup.plan.draft import Draft, FileText, Unreadable
from dlsetup.plan.forms import Form
from dlsetup.resolve.sources import known_extras
from dlsetup.show import json
from dlsetup.show.agreement import DECLINED, agreed, meanwhile, must_be_able_to_ask
from dlsetup.show.files import Change, FileChange, FilesDocument, change_lines, difference, end_line
from dlsetup.show.lines import Line, write
from dlsetup.show.reading import reading_lines
from dlsetup.show.resolution import conflict_lines, plan_lines, together_lines


def run(request: Request) -> int:
    """Write the files (0), say what stands against them (1), or nothing because the user says no (130)."""
    chosen = chosen_forms(request)
    folder = folder_of(request.into)
    if not (request.yes or request.dry_run):
        must_be_able_to_ask(hint="`--yes` goes ahead without a question, `--dry-run` shows the files.")
    there = present(folder, [name for form in chosen for name in form.files], force=request.force)
    said = asked(request.asked.question)
    places = request.asked.places
    targets = tuple(map(said.there, targets_of(places, request.asked.question.catalog)))
    wishes, readings = wishes_on(targets, said)
    found = answered(request, chosen, wishes, targets, said.catalog)
    if isinstance(found.answer, Conflict):
        return _refuse(request, found._replace(readings=readings))
    found = found._replace(readings=readings, notes=(*found.notes, *unread(request, folder, there)))
    draft = replace(
        found.draft,
        present=there,
        project=project_of(folder, found.draft.plans),
        twins=tuple(twins_of(found.draft, said.catalog)),
        device_extras=frozenset(name for item in said.catalog.frameworks for name in known_extras(item)),
        parts=parts_of(request, folder),
    )
    made = [(form, file) for form in chosen for file in _files(form, draft, force=request.force)]
    _check(made, targets, said.catalog)
    changes = tuple(_change(request, form, file, draft) for form, file in made)
    texts = {Path(folder, file.name): file.text for _, file in made if file.text != draft.text_of(file.name)}
    with interruptible():
        return _settle(request, found, said.catalog, changes, texts)


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
