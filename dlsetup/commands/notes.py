"""`dlsetup notes`: steps for a person, for this machine, a saved one, a report, or one in words."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from msgspec.structs import replace

from dlsetup.act.saving import save
from dlsetup.catalog.load import opened
from dlsetup.catalog.notes import note_facts
from dlsetup.commands.examined import catalog_of_examined
from dlsetup.commands.question import folders, machine_of
from dlsetup.judge.scene import Scene
from dlsetup.model.errors import UsageError
from dlsetup.model.note import Note
from dlsetup.model.record import Record
from dlsetup.plan.notes import registry
from dlsetup.plan.notes.about import about
from dlsetup.plan.notes.script import note_script
from dlsetup.plan.notes.subject import Subject
from dlsetup.show import json
from dlsetup.show.lines import Line, plain, speakable, write
from dlsetup.show.notes import NotesDocument, kind_lines, note_lines, refusal_lines
from dlsetup.show.notes_markdown import note_markdown

ENDINGS = {"text": "txt", "markdown": "md", "script": "sh"}


class Request(Record, frozen=True, kw_only=True):
    """The words of `notes` and `create notes`, as they were typed."""

    kind: str | None = None
    environment: str | None = None
    machine_file: str | None = None
    target: str | None = None
    reports: tuple[str, ...] = ()
    form: str = "text"
    output: str | None = None
    """A file; None: standard output."""
    creates: bool = False
    """Whether it is written to a file in any case."""
    overwrite: bool = False
    dry_run: bool = False
    verbose: bool = False
    catalog: tuple[str, ...] = ()
    as_json: bool = False


def run(request: Request) -> int:
    """Print or write a note. 1 where there is none for this machine."""
    _check(request)
    subject = _subject(request)
    if request.kind is None:
        return _kinds(request, subject)
    kind = registry.named(request.kind)
    if kind is None:
        raise _no_kind(request.kind)
    found = registry.note(kind, subject)
    if not isinstance(found, Note):
        if request.as_json:
            json.write(NotesDocument(ok=False, refused=found))
        else:
            write(refusal_lines(found))
        return 1
    return _give(request, found, subject)


def _check(request: Request) -> None:
    """Everything that is wrong with the words, before anything is looked at."""
    if request.form not in ENDINGS:
        raise UsageError(f"there is no format `{request.form}`", hint=f"the formats are {', '.join(ENDINGS)}")
    if request.kind is not None and request.kind not in registry.names():
        raise _no_kind(request.kind)
    if request.output == "":
        raise UsageError("no file is named to write the note to", hint="`--output driver.md`")
    if request.kind is None and request.output is not None:
        raise UsageError("no kind of note is named", hint=f"name one: {', '.join(registry.names())}")
    path = _path(request)
    if path is not None and os.path.lexists(path) and not request.overwrite:
        raise UsageError(
            f"`{path}` is there already", hint="`--overwrite` replaces it, `--output FILE` names another"
        )


def _no_kind(name: str) -> UsageError:
    return UsageError(f"there is no note `{name}`", hint=f"the kinds are {', '.join(registry.names())}")


def _path(request: Request) -> Path | None:
    if request.output is not None:
        return Path(request.output)
    return Path(f"{request.kind}.{ENDINGS[request.form]}") if request.creates and request.kind else None


def _subject(request: Request) -> Subject:
    """The machine that is meant, with the part of the catalog that concerns it."""
    told = (request.machine_file, request.target, request.reports or None)
    if sum(item is not None for item in told) > 1:
        raise UsageError(
            "several machines are named", hint="take one of `--machine`, `--target` and `--from`"
        )
    places = opened(folders(request.catalog))
    if request.reports:
        from dlsetup.commands.pasted import catalog_of_report, pasted

        _no_environment(request, "--from")
        reading, known = pasted(request.reports, places)
        machine, name = reading.machine, "the machine of the report"
        catalog = catalog_of_report(machine, known, places)
    elif request.target is not None:
        from dlsetup.intake.noted import machine_in_words

        _no_environment(request, "--target")
        machine, name = machine_in_words(request.target), "the target"
        catalog = catalog_of_examined(machine, places)
    else:
        machine = machine_of(request.machine_file, request.environment, places)
        name = f"the machine in {request.machine_file}" if request.machine_file else "this machine"
        catalog = catalog_of_examined(machine, places)
    return Subject(scene=Scene.of(machine, catalog), facts=note_facts(places), name=name)


def _no_environment(request: Request, option: str) -> None:
    if request.environment is not None:
        raise UsageError(f"both `--env` and `{option}` are given", hint="leave one of them out")


def _kinds(request: Request, subject: Subject) -> int:
    found = tuple(registry.concerns(subject))
    if request.as_json:
        json.write(NotesDocument(ok=True, kinds=found))
    else:
        write(kind_lines(about(subject), found))
    return 0


def _give(request: Request, note: Note, subject: Subject) -> int:
    """To a file, as a document, or in words."""
    path = _path(request)
    text = _text(request, note, subject)
    document = NotesDocument(ok=True, note=note)
    if path is not None:
        document = replace(document, file=str(path), **({"text": text} if request.dry_run else {}))
        if not request.dry_run:
            save(path, text)
    if request.as_json:
        json.write(document)
    elif path is not None:
        done = "would be written" if request.dry_run else "is written"
        write([Line(mark="✓", text=f"The note `{note.kind}` {done} to `{path}`.", style="good")])
        if request.dry_run:
            _print(text)
    elif request.form == "text":
        write(note_lines(note, verbose=request.verbose))
    else:
        _print(text)
    return 0


def _text(request: Request, note: Note, subject: Subject) -> str:
    if request.form == "markdown":
        return note_markdown(note)
    if request.form == "text":
        return plain(note_lines(note, verbose=request.verbose))
    if subject.scene.target.os == "windows":
        raise UsageError(
            "Windows has no POSIX shell to run the script in", hint="`--format text` or `markdown`"
        )
    return note_script(note)


def _print(text: str) -> None:
    sys.stdout.write(speakable(text, sys.stdout.encoding))
