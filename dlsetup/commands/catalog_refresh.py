"""`dlsetup catalog refresh`: learn from the package index what has been released since."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from dlsetup.catalog.refresh import Errand, Refreshed, refresh
from dlsetup.model.errors import UsageError
from dlsetup.model.record import Record
from dlsetup.show import json
from dlsetup.show.lines import Line, write
from dlsetup.show.progress import watched
from dlsetup.show.words import counted


class RefreshDocument(Record, frozen=True, kw_only=True):
    """What was learned, one entry a file."""

    schema: Literal["dlsetup.catalog-refresh/1"] = "dlsetup.catalog-refresh/1"
    ok: bool = True
    files: tuple[Refreshed, ...]


class Request(Record, frozen=True, kw_only=True):
    """The words of `catalog refresh`, as they were typed."""

    names: tuple[str, ...] = ()
    """Frameworks, distributions or `overlaps`; none: all that the catalog uses."""
    into: str | None = None
    """A catalog folder; None: the user's own, which later runs read by themselves."""
    index: str | None = None
    """Address of the simple API; None: the index that uv or pip is configured with."""
    allow_loss: bool = False
    allow_disagreement: bool = False
    catalog: tuple[str, ...] = ()
    """Folders whose frameworks count too."""
    as_json: bool = False


def run(request: Request) -> int:
    """Refresh, and print which files changed. Progress goes to standard error."""
    if request.into is not None and not Path(request.into).is_dir():
        raise UsageError(f"the folder `{request.into}` is not there", hint="create it, or leave out `--into`")
    errand = Errand(
        names=request.names,
        into=Path(request.into) if request.into is not None else None,
        index=request.index or "",
        folders=tuple(map(Path, request.catalog)),
        allow_loss=request.allow_loss,
        allow_disagreement=request.allow_disagreement,
    )
    with watched() as watch:
        done = refresh(errand, watch)
    if request.as_json:
        json.write(RefreshDocument(files=tuple(done)))
    else:
        write(_lines(done))
    return 0


def _lines(done: list[Refreshed]) -> Iterator[Line]:
    changed = [item for item in done if item.changed]
    for item in changed:
        yield Line(mark="✓", text=f"{item.name}: {counted(item.rows, 'row')}", style="good")
    if changed:
        yield Line(text=f"{len(changed)} of {counted(len(done), 'file')} changed", style="title")
    else:
        yield Line(text=f"nothing new in {counted(len(done), 'file')}", style="title")
