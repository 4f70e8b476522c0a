"""A table of the catalog in words: columns where they fit, else one paragraph a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dlsetup.model.source import Source
from dlsetup.show.catalog_document import Table
from dlsetup.show.lines import WIDTH, Line, Style

GAP = "  "
INDENT = 2
LEAST_TEXT = 16
"""Signs that the last column needs if it is wrapped."""


def table_lines(table: Table) -> Iterator[Line]:
    """The title, the rows, and who says so."""
    yield Line(text=table.title, style="title")
    yield Line()
    columns = [name for name in table.columns if any(_known(row.get(name)) for row in table.rows)]
    cells = [[said(row.get(name, ...)) for name in columns] for row in table.rows]
    if not columns:
        yield Line(text="no rows", indent=INDENT, style="faint")
    else:
        yield from _laid_out([name.replace("_", " ") for name in columns], cells)
    yield Line()
    yield from source_lines(table.sources)


def source_lines(sources: Sequence[Source]) -> Iterator[Line]:
    """Each source with its id, which rows cite."""
    if sources:
        yield Line(text="Sources", style="title")
    for source in sources:
        text = f"{source.what} (checked {source.checked}, certainty {source.certainty})"
        yield Line(mark=source.id, text=text, indent=INDENT, style="faint")


def said(value: Any) -> str:
    """A plain value: `?` where it is not known (left out), lists in one line."""
    if value is ...:
        return "?"
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {said(item)}" for name, item in value.items() if name != "source")
    if isinstance(value, (list, tuple)):
        inner = (
            " ".join(map(said, item)) if isinstance(item, (list, tuple)) else said(item) for item in value
        )
        return ", ".join(inner)
    return str(value)


def _known(value: Any) -> bool:
    return value not in (None, "", [], ())


def _laid_out(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[Line]:
    """Columns under their head; the widest goes last and is wrapped; or every row is a paragraph."""
    widths = [
        max(len(cell) for cell in (*name.split(), *column)) for name, *column in zip(head, *rows, strict=True)
    ]
    total = INDENT + sum(widths) + len(GAP) * (len(widths) - 1)
    widest = len(widths) - 1 if total <= WIDTH else widths.index(max(widths))
    order = [*(place for place in range(len(widths)) if place != widest), widest]
    if total - widths[widest] > WIDTH - LEAST_TEXT:
        yield from _paragraphs(head, rows, widths[0])
        return
    for names in zip(*(_stacked(head[place], max(map(_words, head))) for place in order), strict=True):
        yield _columns(names, [widths[place] for place in order], "faint")
    for row in rows:
        yield _columns([row[place] for place in order], [widths[place] for place in order], "")


def _columns(cells: Sequence[str], widths: Sequence[int], style: Style) -> Line:
    mark = GAP.join(cell.ljust(width) for cell, width in zip(cells[:-1], widths[:-1], strict=True))
    return Line(mark=f"{mark} " if mark else "", text=cells[-1], indent=INDENT, style=style)


def _words(name: str) -> int:
    return len(name.split())


def _stacked(name: str, height: int) -> list[str]:
    """The words of a head above each other, the last one next to the column."""
    words = name.split()
    return [*[""] * (height - len(words)), *words]


def _paragraphs(head: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[Line]:
    for row in rows:
        pairs = zip(head[1:], row[1:], strict=True)
        text = "; ".join(f"{name} {cell}" for name, cell in pairs if cell not in ("", "?"))
        yield Line(mark=row[0].ljust(width), text=text, indent=INDENT, style="title")
