"""What one process of `triage` does: it keeps the catalog and reads one report after another."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from dlsetup.catalog.load import load, opened
from dlsetup.catalog.messages import knowledge
from dlsetup.commands.pasted import ways
from dlsetup.intake.batch import Parcel, texts_in
from dlsetup.intake.report import report_of
from dlsetup.judge.registry import every_check, judge
from dlsetup.model.errors import DlsetupError
from dlsetup.model.finding import Diagnosis
from dlsetup.model.triage import Brief, Row

SECONDS = 30
"""One report may take; it is no more than a second a MiB."""
MEMORY = 2 << 30
"""Bytes of address space of one process."""


class Reader:
    """Made once in each process."""

    def __init__(self, folders: tuple[Path, ...]) -> None:
        place = opened(folders)
        known = knowledge(place)
        self._catalog = replace(load(None, place), knowledge=known)
        self._ways = ways(known)
        self._checks = every_check()

    def row(self, parcel: Parcel) -> Row:
        """What is wrong in one report. Whatever happens costs this report alone."""
        try:
            with _deadline(SECONDS):
                machine = report_of(texts_in(parcel), self._ways).machine
                return _row(parcel.name, judge(machine, self._catalog, self._checks))
        except DlsetupError as exc:
            return Row(report=parcel.name, ok=False, error=exc.message)
        except (Exception, _Late) as exc:
            reason = "it took too long" if isinstance(exc, _Late) else f"{type(exc).__name__}: {exc}"
            return Row(report=parcel.name, ok=False, error=reason[:300])


class _Late(BaseException):
    """No `except Exception` on the way takes it for one of its own."""


@contextlib.contextmanager
def _deadline(seconds: float) -> Iterator[None]:
    if not hasattr(signal, "setitimer"):
        yield
        return

    def late(_number: int, _frame: Any) -> None:
        raise _Late

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _row(name: str, diagnosis: Diagnosis) -> Row:
    findings = tuple(
        Brief(id=item.id, severity=item.severity, role=item.role, title=item.title)
        for item in diagnosis.findings
    )
    primary = next((item.id for item in findings if item.role == "primary"), "")
    asked = tuple(dict.fromkeys(gap.ask for gap in diagnosis.unknown if gap.ask))
    return Row(report=name, ok=diagnosis.well, primary=primary, findings=findings, ask=asked)


_reader: list[Reader] = []


def start(folders: tuple[Path, ...]) -> None:
    """The first thing a process does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    _reader.append(Reader(folders))


def read(parcel: Parcel) -> Row:
    """One report, in a process that was started."""
    return _reader[0].row(parcel)
