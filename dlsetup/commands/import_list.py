"""`dlsetup import`: an old list of packages as it is written today, and what became of each line."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import get_args

from msgspec.structs import replace

from dlsetup.act.saving import save
from dlsetup.catalog.conda import conda_packages, old_facts
from dlsetup.catalog.load import load, opened, owners
from dlsetup.commands.chosen_anew import chosen
from dlsetup.commands.question import Question, folders
from dlsetup.intake.old_list import is_command, read_old
from dlsetup.model.errors import StepFailed, UsageError
from dlsetup.model.framework import Catalog, Ended
from dlsetup.model.modernised import ListForm, Modernised, OldList
from dlsetup.model.record import Record
from dlsetup.model.resolution import Conflict
from dlsetup.plan.modernise import modernised
from dlsetup.plan.modernise_project import PROJECTS, as_project
from dlsetup.plan.old_entries import Names, understand
from dlsetup.show import json
from dlsetup.show.lines import write
from dlsetup.show.modernised import ImportDocument, modernised_lines
from dlsetup.show.resolution import conflict_lines

LARGEST = 1 << 20
FORMS: tuple[ListForm, ...] = get_args(ListForm)


class Request(Record, frozen=True, kw_only=True):
    """The words of `import`, as they were typed."""

    source: str
    question: Question
    to: str | None = None
    output: str | None = None
    in_place: bool = False
    dry_run: bool = False
    as_json: bool = False


def run(request: Request) -> int:
    """Say what became of each line (0), or what stands against any plan (1)."""
    _check(request)
    text, where = _read(request.source)
    old = read_old(text, where)
    form = _form(request, old)
    places = opened(folders(request.question.catalog))
    facts = old_facts()
    known = owners(places)
    names = Names(
        facts=facts,
        owners=known,
        ended=_ended(load(sorted(set(known.values())), places)),
        served={item.distribution for item in conda_packages()},
    )
    understood = understand(old, names)
    found = chosen(request.question, understood, form, facts)
    if isinstance(found, Conflict):
        return _refuse(request, found)
    modern = modernised(old, understood, found, facts)
    if form in PROJECTS:
        modern = as_project(modern, form, old.name)
    if request.in_place:
        from dlsetup.plan.yaml_edit import edited

        modern = replace(modern, text=edited(text, modern, modern.text))
    _show(request, _written(request, modern), where)
    return 0


def _check(request: Request) -> None:
    if request.in_place and (request.output or request.source == "-" or not Path(request.source).is_file()):
        raise UsageError(
            "`--in-place` rewrites the file that is named", hint="leave out `-o`, and name a file"
        )
    if request.output is not None and os.path.lexists(request.output):
        raise UsageError(
            f"`{request.output}` exists already and is left as it is", hint="choose another name for `-o`"
        )


def _form(request: Request, old: OldList) -> ListForm:
    pip_alone = all(entry.part in ("pip", "option") for entry in old.entries)
    form = request.to or ("requirements" if pip_alone else "conda")
    for item in FORMS:
        if form == item:
            if request.in_place and (old.kind, item) != ("environment", "conda"):
                raise UsageError(
                    "only an `environment.yml` that stays one is rewritten in place",
                    hint="name a file with `-o`",
                )
            return item
    raise UsageError(f"`{form}` is no form of a list", hint=f"`--to` knows {', '.join(FORMS)}")


def _read(source: str) -> tuple[str, str]:
    """The text and what it is called. A command may stand for itself."""
    if source == "-":
        return sys.stdin.read(LARGEST), "standard input"
    path = Path(source)
    try:
        if path.is_file():
            with path.open("rb") as file:
                data = file.read(LARGEST + 1)
            if len(data) > LARGEST:
                raise UsageError(f"`{source}` is larger than 1 MiB", hint="name a list of packages")
            return data.decode("utf-8-sig", "replace"), path.name
    except (OSError, ValueError) as exc:
        if not is_command(source):
            raise UsageError(f"`{source[:200]}` cannot be read", hint="name a list of packages") from exc
    if is_command(source):
        return source, "the command"
    raise UsageError(
        f"there is no file `{source[:200]}`",
        hint="name an environment.yml or requirements.txt, or quote a command: `'conda install pytorch'`",
    )


def _ended(catalog: Catalog) -> dict[str, Ended]:
    return {item.name: item.ended for item in catalog.frameworks if item.ended is not None}


def _written(request: Request, modern: Modernised) -> Modernised:
    path = request.source if request.in_place else request.output
    if path is None or request.dry_run:
        return modern
    if request.in_place:
        save(Path(path), modern.text)
    else:
        _write_new(path, modern.text)
    return replace(modern, path=path)


def _write_new(path: str, text: str) -> None:
    """A file that appeared meanwhile is not overwritten."""
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise StepFailed(
            f"`{path}` cannot be written: {error.strerror}.", hint="choose another place."
        ) from error


def _refuse(request: Request, conflict: Conflict) -> int:
    if request.as_json:
        json.write(ImportDocument(ok=False, conflict=conflict))
    else:
        write(conflict_lines(conflict))
    return 1


def _show(request: Request, modern: Modernised, where: str) -> None:
    if request.as_json:
        json.write(ImportDocument(ok=True, modernised=modern))
    else:
        write(modernised_lines(modern, where))
