"""`dlsetup catalog status`: how old each file of the catalog is, and what newer releases it does not know."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from dlsetup.catalog.folders import Folders, user_folder
from dlsetup.catalog.jobs import jobs
from dlsetup.catalog.learning import read_pages
from dlsetup.catalog.refresh import cache_folder
from dlsetup.catalog.registry import Registry, index_asked
from dlsetup.catalog.status import FileStatus, Lookout, statuses, with_newer
from dlsetup.model.record import Record, Unknown
from dlsetup.show import json
from dlsetup.show.lines import Line, write
from dlsetup.show.progress import watched
from dlsetup.show.words import counted

NAMED = 4
"""How many newer releases are named; the rest is counted."""
TITLES = {
    "framework": "Frameworks",
    "hardware": "Hardware and systems",
    "images": "Container images",
    "distribution": "Distributions",
    "measured": "Architectures read out of wheels",
    "index": "Other indexes",
    "overlaps": "Files that wheels share",
}
ORIGINS = {"shipped": "shipped", "user": "refreshed", "overlay": "overlay"}


class StatusDocument(Record, frozen=True, kw_only=True):
    """Every file of the catalog."""

    schema: Literal["dlsetup.catalog-status/1"] = "dlsetup.catalog-status/1"
    ok: bool = True
    online: bool
    """Whether the package index was asked what is newer."""
    files: tuple[FileStatus, ...]


class Request(Record, frozen=True, kw_only=True):
    """The words of `catalog status`, as they were typed."""

    names: tuple[str, ...] = ()
    """Frameworks or distributions; none: all."""
    online: bool = False
    index: str | None = None
    """Address of the simple API; None: the index that uv or pip is configured with."""
    catalog: tuple[str, ...] = ()
    as_json: bool = False


def run(request: Request) -> int:
    """Print one line a file. Nothing but `online` touches the network."""
    given = tuple(map(Path, request.catalog))
    user = user_folder()
    place = Folders(given, user=user)
    today = datetime.datetime.now(datetime.timezone.utc).date()
    found = list(statuses(request.names, place, Lookout(given=given, user=user, today=today)))
    if request.online:
        found = _asked(found, request, place)
    if request.as_json:
        json.write(StatusDocument(online=request.online, files=tuple(found)))
    else:
        write(_lines(found, online=request.online))
    return 0


def _asked(found: Sequence[FileStatus], request: Request, place: Folders) -> list[FileStatus]:
    """With what the index has beyond it."""
    registry = Registry(index_asked(request.index), cache_folder())
    with watched() as watch:
        pages = read_pages({item.distribution for item in found if item.distribution}, registry, watch)
    sourced = [job.row.name for job in jobs(request.names, place) if job.row.sources]
    return list(with_newer(found, pages, sourced))


def _lines(found: Sequence[FileStatus], *, online: bool) -> Iterator[Line]:
    width = max(len(item.name) for item in found)
    yield Line(
        text=_columns("file".ljust(width), "from", "checked", "age", "rows", "newest"), indent=4, wrap=False
    )
    for kind, title in TITLES.items():
        files = [item for item in found if item.kind == kind]
        if files:
            yield Line(text=title, style="title")
        yield from (_line(item, width) for item in files if item.origin != "none")
        missing = [item.name for item in files if item.origin == "none"]
        if missing:
            yield Line(mark="?", text=f"never learned: {', '.join(missing)}", indent=2, style="faint")
    yield from _summary(found, online=online)


def _line(item: FileStatus, width: int) -> Line:
    parts = (ORIGINS[item.origin], item.checked, _age(item.age_days), str(item.rows), str(item.newest or ""))
    newer = _newer(item)
    text = _columns(item.name.ljust(width), *parts)
    return Line(
        mark="!" if newer else "·",
        text=f"{text}  {newer}".rstrip(),
        indent=2,
        wrap=False,
        style="warning" if newer else "faint",
    )


def _columns(name: str, origin: str, checked: str, age: str, rows: str, newest: str) -> str:
    return f"{name}  {origin:9}  {checked:10}  {age:>8}  {rows:>5}  {newest}".rstrip()


def _age(days: int | Unknown) -> str:
    return "unknown" if isinstance(days, Unknown) else "today" if days <= 0 else counted(days, "day")


def _newer(item: FileStatus) -> str:
    """What it does not know: `newer: 2.16.0, 2.15.1`."""
    if isinstance(item.newer, Unknown) or not item.newer:
        return ""
    rest = len(item.newer) - NAMED
    named = ", ".join(str(version) for version in item.newer[:NAMED])
    return f"newer: {named}" + (f" and {rest} more" if rest > 0 else "")


def _summary(found: Sequence[FileStatus], *, online: bool) -> Iterator[Line]:
    behind = [item for item in found if not isinstance(item.newer, Unknown) and item.newer]
    dates = sorted(item.checked for item in found if item.checked)
    oldest = f", the oldest checked {dates[0]}" if dates else ""
    yield Line(text=f"{counted(len(found), 'file')}{oldest}.", style="title")
    if behind:
        yield Line(text=f"{len(behind)} of them do not know the newest releases.")
    if not online:
        yield Line(text="`dlsetup catalog status --online` asks the index what is newer.", style="faint")
