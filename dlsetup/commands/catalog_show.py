"""`dlsetup catalog show`: what there is, and what of it works on a target."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from packaging.specifiers import SpecifierSet

from dlsetup.act.saving import save
from dlsetup.catalog.folders import Folders
from dlsetup.catalog.load import load, opened
from dlsetup.commands.catalog_matrix import framework_row, matrix_of
from dlsetup.commands.catalog_tables import table_names, tables_called
from dlsetup.commands.question import Question, buildable_target_of, folders
from dlsetup.intake.wish import parse_release, parse_releases, parse_wanted, without_extras
from dlsetup.model.errors import UsageError
from dlsetup.model.record import Record, Unknown
from dlsetup.show import json
from dlsetup.show.catalog import framework_lines, matrix_lines
from dlsetup.show.catalog_document import Matrix, ShowDocument
from dlsetup.show.catalog_table import table_lines
from dlsetup.show.lines import Line, write

NEWEST = 5
"""Releases that words show where nobody asks for more."""


class Request(Record, frozen=True, kw_only=True):
    """The words of `catalog show`, as they were typed."""

    name: str | None = None
    """A framework (`torch`, `torch>=2.10`), a table (`drivers`), or none: the list of all."""
    versions: str | None = None
    since: str | None = None
    every: bool = False
    """All releases in words; documents and pages always hold all that are asked for."""
    html: str | None = None
    machine_file: str | None = None
    target: str | None = None
    catalog: tuple[str, ...] = ()
    as_json: bool = False


def run(request: Request) -> int:
    """Print the document or its words, or write its page. Always 0: a listing finds nothing wrong."""
    document = _document(request, opened(folders(request.catalog)))
    if request.html is not None:
        _write_page(document, request.html)
    if request.as_json:
        json.write(document)
    elif request.html is not None:
        write([Line(mark="✓", text=f"The page is in `{request.html}`.", style="good")])
    else:
        write(_lines(document))
    return 0


def _document(request: Request, places: Folders) -> ShowDocument:
    if request.name is None:
        _refuse(request, "a list of all", "name a framework: `dlsetup catalog show torch`")
        catalog = load(None, places)
        rows = tuple(map(framework_row, catalog.frameworks))
        return ShowDocument(frameworks=rows, tables=table_names())
    tables = tables_called(request.name, places)
    if tables:
        _refuse(request, f"the table `{request.name}`", "name a framework, or leave that out")
        return ShowDocument(table=tables)
    return ShowDocument(framework=_matrix(request.name, request, places))


def _matrix(asked: str, request: Request, places: Folders) -> Matrix:
    wanted = without_extras(parse_wanted(asked))
    try:
        catalog = load([wanted.framework], places)
    except UsageError as exc:
        tables = ", ".join(table.name for table in table_names())
        raise UsageError(exc.message, hint=f"{exc.hint} Its tables are {tables}.") from exc
    framework = next(item for item in catalog.frameworks if item.name == wanted.framework)
    question = Question(machine_file=request.machine_file, target=request.target, catalog=request.catalog)
    specifier = wanted.specifier & _asked(request)
    newest = None if str(specifier) or not _brief(request) else NEWEST
    return matrix_of(framework, specifier, buildable_target_of(question), catalog, newest)


def _brief(request: Request) -> bool:
    """Whether the newest releases will do: words are read by people, who have not asked for all."""
    return not (request.every or request.as_json or request.html is not None)


def _refuse(request: Request, what: str, hint: str) -> None:
    """Options that only make sense for a framework."""
    given = (
        ("--html", request.html),
        ("--since", request.since),
        ("--version", request.versions),
        ("--target", request.target),
        ("--machine", request.machine_file),
    )
    for option, value in given:
        if value is not None:
            raise UsageError(f"`{option}` says nothing about {what}", hint=hint)


def _asked(request: Request) -> SpecifierSet:
    """What `--version` and `--since` leave of the releases."""
    asked = SpecifierSet() if request.versions is None else parse_releases(request.versions)
    if request.since is not None:
        asked &= SpecifierSet(f">={parse_release(request.since, 'write it like `2.10`').public}")
    return asked


def _lines(document: ShowDocument) -> Iterator[Line]:
    if not isinstance(document.framework, Unknown):
        yield from matrix_lines(document.framework)
    elif not isinstance(document.table, Unknown):
        for number, table in enumerate(document.table):
            yield from [Line()] if number else []
            yield from table_lines(table)
    elif not isinstance(document.frameworks, Unknown) and not isinstance(document.tables, Unknown):
        yield from framework_lines(document.frameworks, document.tables)


def _write_page(document: ShowDocument, path: str) -> None:
    from dlsetup.show.catalog_page import page

    if path in ("", "-"):
        raise UsageError("no file is named to write the page in", hint="`--html torch.html`")
    save(Path(path), page(document))
