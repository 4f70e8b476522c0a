"""How long a megabyte of pasted text takes to be read, for texts that are made to be slow and for real ones;
then how long reports of 100, 200 and 400 KB take, in which one kind of line stands again and again.

.venv/bin/python benchmarks/paste.py [KIND …]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from dlsetup.catalog.messages import knowledge
from dlsetup.commands.pasted import catalog_of_report, ways
from dlsetup.intake.report import Ways, report_of
from dlsetup.judge.registry import judge
from dlsetup.model.signature import Knowledge

TESTS = Path(__file__).parent.parent / "tests"
sys.path.append(str(TESTS / "intake"))

from slow_reports import KINDS, slow_report  # noqa: E402
from slow_texts import slow_texts  # noqa: E402

SIZES = (100_000, 200_000, 400_000)


def main(kinds: list[str]) -> None:
    known = knowledge()
    ready = ways(known)
    report_of([("paste.txt", samples()[:1000].encode())], ready)
    for text in () if kinds else slow_texts(samples()):
        started = time.process_time()
        report_of([("paste.txt", text.encode())], ready)
        print(f"{time.process_time() - started:.2f} s  {text[:20]!r}")
    for kind in kinds or KINDS:
        took = "  ".join(f"{diagnosed(slow_report(kind, size), ready, known):.2f}" for size in SIZES)
        print(f"{took} s  {kind}")


def samples() -> str:
    reports = sorted(path for path in (TESTS / "cases").glob("*/*") if path.is_file())
    return "".join(path.read_text("utf-8", "replace") for path in reports)


def diagnosed(text: str, ready: Ways, known: Knowledge) -> float:
    """Seconds of one core until all is said of a report."""
    started = time.process_time()
    machine = report_of([("paste.txt", text.encode())], ready).machine
    judge(machine, catalog_of_report(machine, known, ()))
    return time.process_time() - started


if __name__ == "__main__":
    main(sys.argv[1:])
