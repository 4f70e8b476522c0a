"""A framework of the catalog in words: its releases by variant, marked for a target; and the list of all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from dlsetup.model.record import Unknown
from dlsetup.show.catalog_document import BuildRow, FrameworkRow, Matrix, ReleaseRow, TableName
from dlsetup.show.lines import Line, Style, command
from dlsetup.show.words import counted

GAP = "  "
CODE_WIDTH = 32
MARKS: dict[str, tuple[str, Style]] = {
    "yes": ("✓", "good"),
    "unknown": ("?", "warning"),
    "no": ("✗", "bad"),
}
"""By answer, the best first."""
ORDER = tuple(MARKS)
HEAD = ("release", "variant", "Python", "code for")


def matrix_lines(matrix: Matrix) -> Iterator[Line]:
    """A row for each release and variant: mark, Pythons, the code inside, and the number of a reason."""
    yield from _opening(matrix)
    rows = [(release, build) for release in matrix.releases for build in _nearest(release.builds)]
    reasons: dict[str, int] = {}
    for release, build in rows:
        for reason in _reasons(matrix, release, build):
            reasons.setdefault(reason, len(reasons) + 1)
    cells = [HEAD, *(_cells(release, build) for release, build in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    yield Line(mark=" ", text=_padded(HEAD, widths), style="faint", wrap=False)
    for (release, build), row in zip(rows, cells[1:], strict=True):
        numbers = [reasons[reason] for reason in _reasons(matrix, release, build)]
        yield _row(build, _padded(row, widths), numbers)
    yield from _closing(matrix, reasons)


def framework_lines(rows: Sequence[FrameworkRow], tables: Sequence[TableName]) -> Iterator[Line]:
    """A row for each framework, and the names of the tables."""
    head = ("name", "newest", "known to", "releases", "builds")
    cells = [head, *map(_framework_cells, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    yield Line(mark=_padded(head, widths) + " ", text="title: variants of the newest", style="faint")
    for row, cell in zip(rows, cells[1:], strict=True):
        yield Line(
            mark=_padded(cell, widths) + " ",
            text=f"{row.title}: {', '.join(row.variants) or '-'}",
            style="title",
        )
        if row.ended is not None:
            yield _ended(row.title, str(row.ended.last), row.ended.when, row.ended.instead, indent=2)
    yield Line()
    yield Line(text="Tables", style="title")
    width = max((len(table.name) for table in tables), default=0)
    for table in tables:
        yield Line(mark=table.name.ljust(width), text=table.title, indent=2)
    yield Line()
    yield command("dlsetup catalog show NAME", indent=2)


def _opening(matrix: Matrix) -> Iterator[Line]:
    name = matrix.title if matrix.title.lower() == matrix.name else f"{matrix.title} ({matrix.name})"
    yield Line(text=f"{name} on {matrix.target}", style="title")
    if matrix.target_words and matrix.target != "this machine":
        yield Line(text=matrix.target_words, indent=2, style="faint")
    ended = matrix.ended
    if ended is not None:
        yield _ended(matrix.title, str(ended.last), ended.when, ended.instead, indent=0)
    yield Line()


def _ended(title: str, last: str, when: str, instead: str, *, indent: int) -> Line:
    text = f"{title} has ended: {last} of {when} is its last release. Take instead: {instead}"
    return Line(mark="!", text=text, indent=indent, style="warning")


def _nearest(builds: Sequence[BuildRow]) -> list[BuildRow]:
    """Of each variant the build that comes nearest to the target."""
    best: dict[str, BuildRow] = {}
    for build in builds:
        other = best.get(build.variant)
        if other is None or _distance(build) < _distance(other):
            best[build.variant] = build
    return list(best.values())


def _distance(build: BuildRow) -> tuple[int, bool]:
    return ORDER.index(build.answer), build.rule == "wheel"


def _cells(release: ReleaseRow, build: BuildRow) -> tuple[str, str, str, str]:
    return str(release.version), build.variant, spans(build.pythons), code_words(build)


def _row(build: BuildRow, text: str, numbers: Sequence[int]) -> Line:
    mark, style = MARKS[build.answer]
    notes = " ".join(f"({number})" for number in numbers)
    return Line(mark=mark, text=f"{text}{GAP}{notes}".rstrip(), style=style, wrap=False)


def _reasons(matrix: Matrix, release: ReleaseRow, build: BuildRow) -> Iterator[str]:
    """Why it does not work or is not known to, and what else is to be said of it."""
    if build.because:
        yield build.because
    if build.from_source:
        yield "has no wheel: it is built from its source, which may take long"
    if release.beyond:
        known = matrix.known_to
        yield f"newer than what the catalog was checked for ({known}): only its metadata speaks of it"
    if release.prerelease:
        yield "is a prerelease"


def _closing(matrix: Matrix, reasons: dict[str, int]) -> Iterator[Line]:
    yield Line()
    for reason, number in reasons.items():
        yield Line(mark=f"({number})", text=reason)
    if reasons:
        yield Line()
    yield Line(text="✓ works, by itself; ✗ does not; ? is not known", style="faint")
    hidden = matrix.asked - len(matrix.releases)
    if hidden:
        yield Line(text=f"{counted(hidden, 'older release')} not shown: `--all` shows all", style="faint")
    example = next((str(item.version) for item in matrix.releases), "VERSION")
    yield Line(text=f"`dlsetup catalog why {matrix.name} {example}` says which rows decide", style="faint")


def spans(pythons: Sequence[str]) -> str:
    """`3.10–3.14` for a row of neighbours; the free-threaded ones, which are in it too, are left out."""
    minors = [tuple(map(int, item.split("."))) for item in pythons if not item.endswith("t")]
    groups: list[list[tuple[int, ...]]] = []
    for minor in sorted(minors):
        if groups and groups[-1][-1] == (minor[0], minor[1] - 1):
            groups[-1].append(minor)
        else:
            groups.append([minor])
    ends = ([group[0], group[-1]] if len(group) > 1 else [group[0]] for group in groups)
    return " ".join("–".join(f"{one[0]}.{one[1]}" for one in end) for end in ends) or "none"


def code_words(build: BuildRow) -> str:
    """`75 80 86 90 +PTX 90` (of `sm_75` …), `gfx90a gfx942`; `?` where it is not known."""
    if build.accelerator == "rocm":
        return "?" if isinstance(build.gfx, Unknown) else _cut(build.gfx)
    if build.accelerator != "cuda":
        return "-"
    if isinstance(build.kernels, Unknown) and isinstance(build.ptx, Unknown):
        return "?"
    kernels = ["?"] if isinstance(build.kernels, Unknown) else [_bare(item.sm) for item in build.kernels]
    ptx = [] if isinstance(build.ptx, Unknown) else [_bare(item.sm) for item in build.ptx]
    return " ".join((*kernels, *(("+PTX", *ptx) if ptx else ())))


def _bare(sm: str) -> str:
    return sm.removeprefix("sm_")


def _cut(words: Iterable[str]) -> str:
    """As many words as there is room for."""
    text = ""
    for word in words:
        if len(text) + len(word) > CODE_WIDTH:
            return f"{text} …"
        text = f"{text} {word}".strip()
    return text


def _framework_cells(row: FrameworkRow) -> tuple[str, str, str, str, str]:
    known = "" if isinstance(row.known_to, Unknown) else str(row.known_to)
    return row.name, str(row.newest or "-"), known, str(row.releases), str(row.builds)


def _padded(cells: Sequence[str], widths: Sequence[int]) -> str:
    return GAP.join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
