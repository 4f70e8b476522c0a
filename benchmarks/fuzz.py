"""Feeds the doctor with texts that a coverage-guided fuzzer (atheris) makes out of the cases.

    uv pip install atheris
    .venv/bin/python benchmarks/fuzz.py -max_total_time=600

A text that makes a parser or a check fail, takes a second a MiB, or puts a sign on the screen that a
terminal would obey, is written to `crash-…` by the fuzzer. Ends with 0 where none was found.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["dlsetup.intake", "dlsetup.judge"]):
    from dlsetup.catalog.load import load, opened
    from dlsetup.catalog.messages import knowledge
    from dlsetup.commands.pasted import ways
    from dlsetup.intake.report import report_of
    from dlsetup.judge.registry import every_check, judge
    from dlsetup.show import json
    from dlsetup.show.doctor import doctor_lines
    from dlsetup.show.lines import plain

from msgspec.structs import replace

CASES = Path(__file__).parent.parent / "tests" / "cases"
FAILED = re.compile(r"reading it as .* failed|the check failed")
KNOWN = knowledge(opened(()))
CATALOG = replace(load(None, opened(())), knowledge=KNOWN)
SLOW = 5
"""Seconds for 8 KiB: what is instrumented is some ten times slower."""
WAYS = ways(KNOWN)


def one(data: bytes) -> None:
    """The way of a pasted text from end to end."""
    started = time.process_time()
    reading = report_of([("paste.txt", data)], WAYS)
    diagnosis = judge(reading.machine, CATALOG)
    words = plain(doctor_lines(reading.machine, diagnosis))
    json.document(json.DoctorDocument.of(reading.machine, diagnosis))
    gaps = [gap for gap in (*reading.machine.gaps, *diagnosis.unknown) if FAILED.search(gap.reason)]
    if gaps:
        raise AssertionError(gaps[0].reason)
    if not all(char == "\n" or char.isprintable() for char in words):
        raise AssertionError("a sign that a terminal obeys")
    if time.process_time() - started > SLOW:
        raise AssertionError("too slow")


def main() -> None:
    every_check()
    with tempfile.TemporaryDirectory() as corpus:
        for number, path in enumerate(sorted(CASES.glob("*/*"))):
            if path.is_file() and path.name != "case.yaml":
                (Path(corpus) / str(number)).write_bytes(path.read_bytes())
        words = [
            sys.argv[0],
            corpus,
            f"-artifact_prefix={Path.cwd()}/",
            "-max_len=8192",
            "-timeout=20",
            *sys.argv[1:],
        ]
        atheris.Setup(words, one)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
