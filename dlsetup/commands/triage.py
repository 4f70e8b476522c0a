"""`dlsetup triage`: many reports, read by all cores, grouped by what is wrong."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

from dlsetup.commands import reader
from dlsetup.commands.question import folders
from dlsetup.intake.batch import Parcel, parcels
from dlsetup.model.errors import UsageError
from dlsetup.model.record import Record
from dlsetup.model.triage import FAILED, WELL, Group, Row, Triage
from dlsetup.show import json
from dlsetup.show.lines import write
from dlsetup.show.progress import watched
from dlsetup.show.triage import triage_lines

AHEAD = 8
"""Reports in flight for each process."""
MOST_JOBS = 256
EXAMPLES = 5
"""Names kept of a group, unless a page is to be made of all."""


class Request(Record, frozen=True, kw_only=True):
    """The words of `triage`, as they were typed."""

    place: str
    jobs: str | None = None
    """Processes; None: one for each core."""
    page: str | None = None
    catalog: tuple[str, ...] = ()
    as_json: bool = False


def run(request: Request) -> int:
    """Print a row for each report and the sum of them. 1 where a report could not be read."""
    jobs = _cores() if request.jobs is None else _count(request.jobs)
    counted = Counted(keep=None if request.page is not None else EXAMPLES)
    with watched() as watch:
        watch.begin("reports", 0)
        for row in rows(parcels(request.place), folders(request.catalog), jobs):
            counted.add(row)
            watch.step(row.report)
            if request.as_json:
                json.write_row(row)
    triage = counted.sum()
    if not triage.reports:
        raise UsageError(f"there is no report in `{request.place}`", hint="name a folder that holds some")
    if request.page is not None:
        _save(request.page, triage)
    if request.as_json:
        json.write_row(triage)
    else:
        write(triage_lines(triage))
    return 0 if triage.ok else 1


def _count(words: str) -> int:
    if not words.isdecimal() or not 0 < int(words) <= MOST_JOBS:
        hint = "leave it out to use every core"
        raise UsageError(f"`--jobs` is a number from 1 to {MOST_JOBS}, not `{words}`", hint=hint)
    return int(words)


def _cores() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def rows(reports: Iterable[Parcel], places: tuple[Path, ...], jobs: int) -> Iterator[Row]:
    """A row for each report, in their order. A report that ends its process costs that report alone."""
    waiting: deque[tuple[Parcel, Future[Row]]] = deque()
    pool = _pool(places, jobs)
    try:
        for parcel in reports:
            try:
                future = pool.submit(reader.read, parcel)
            except BrokenProcessPool:
                pool = _pool(places, jobs)
                future = pool.submit(reader.read, parcel)
            waiting.append((parcel, future))
            if len(waiting) >= jobs * AHEAD:
                yield _row(*waiting.popleft(), places)
        while waiting:
            yield _row(*waiting.popleft(), places)
    finally:
        pool.shutdown(cancel_futures=True)


def _row(parcel: Parcel, future: Future[Row], places: tuple[Path, ...]) -> Row:
    """The row of a report; where a process died with it or beside it, it is read once more."""
    try:
        return future.result()
    except BrokenProcessPool:
        return _alone(parcel, places)


def _alone(parcel: Parcel, places: tuple[Path, ...]) -> Row:
    """In a process of its own: so the report that ends it is known."""
    with _pool(places, 1) as pool:
        try:
            return pool.submit(reader.read, parcel).result()
        except BrokenProcessPool:
            return Row(report=parcel.name, ok=False, error="the process that read it died")


def _pool(places: tuple[Path, ...], jobs: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(jobs, get_context("spawn"), reader.start, (places,))


class Counted:
    """Groups as they grow; of each only so many names are kept."""

    def __init__(self, keep: int | None) -> None:
        self._keep = keep
        self._names: dict[str, list[str]] = {}
        self._counts: dict[str, int] = {}
        self._titles: dict[str, str] = {}

    def add(self, row: Row) -> None:
        names = self._names.setdefault(row.group, [])
        if self._keep is None or len(names) < self._keep:
            names.append(row.report)
        self._counts[row.group] = self._counts.get(row.group, 0) + 1
        title = row.error or next((item.title for item in row.findings if item.role == "primary"), "")
        self._titles.setdefault(row.group, title)

    def sum(self) -> Triage:
        last = (WELL, FAILED)
        order = sorted(self._counts, key=lambda cause: (cause in last, -self._counts[cause], cause))
        groups = [
            Group(
                cause=cause,
                title=self._titles[cause],
                count=self._counts[cause],
                reports=tuple(self._names[cause]),
            )
            for cause in order
        ]
        return Triage(ok=FAILED not in self._counts, reports=sum(self._counts.values()), groups=tuple(groups))


def _save(page: str, triage: Triage) -> None:
    from dlsetup.act.saving import save
    from dlsetup.show.triage_page import triage_page

    save(Path(page), triage_page(triage))
