"""Whatever is pasted: no parser fails, nothing a terminal would obey comes out, and time stays in bounds."""

from __future__ import annotations

import random
import re
import time
import tracemalloc
from functools import cache
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_texts import slow_texts

from dlsetup.catalog.messages import knowledge
from dlsetup.commands.pasted import catalog_of_report, ways
from dlsetup.intake.page import decoded
from dlsetup.intake.report import Reading, Ways, report_of
from dlsetup.intake.texts import bounded
from dlsetup.judge.registry import judge
from dlsetup.model.finding import Diagnosis
from dlsetup.show import json
from dlsetup.show.doctor import Saying, doctor_lines
from dlsetup.show.lines import plain

CASES = Path(__file__).parent.parent / "cases"
FAILED = re.compile(r"reading it as .* failed|the check failed")


@cache
def ready() -> Ways:
    return ways(knowledge())


@cache
def samples() -> tuple[str, ...]:
    return tuple(path.read_text("utf-8", "replace") for path in sorted(CASES.glob("*/*")) if path.is_file())


def read(*texts: bytes) -> Reading:
    return report_of([(f"{number}.txt", text) for number, text in enumerate(texts)], ready())


def diagnosed(reading: Reading) -> Diagnosis:
    known = knowledge()
    return judge(reading.machine, catalog_of_report(reading.machine, known, ()))


def sound(reading: Reading) -> None:
    """Nothing failed on the way, and what would be shown is only text."""
    diagnosis = diagnosed(reading)
    gaps = (*reading.machine.gaps, *diagnosis.unknown)
    assert [gap for gap in gaps if FAILED.search(gap.reason)] == []
    words = plain(doctor_lines(reading.machine, diagnosis, (), Saying(verbose=True, line=reading.line)))
    assert all(char == "\n" or char.isprintable() for char in words)
    document = json.document(json.DoctorDocument.of(reading.machine, diagnosis))
    assert all(char == "\n" or 32 <= ord(char) < 127 for char in document)


@settings(max_examples=150)
@given(st.binary(max_size=3000))
def test_any_bytes(data: bytes) -> None:
    sound(read(data))


@settings(max_examples=150)
@given(st.text(max_size=1500))
def test_any_text(text: str) -> None:
    sound(read(text.encode("utf-8", "replace")))


@settings(max_examples=200)
@given(st.randoms(use_true_random=False))
def test_lines_of_real_reports_torn_and_mixed(chance: random.Random) -> None:
    lines = [line for text in chance.sample(samples(), 3) for line in text.splitlines(keepends=True)]
    chosen = [chance.choice(lines) for _ in range(min(len(lines), 60))]
    cuts = [chance.randrange(len(line) + 1) if chance.random() < 0.2 else len(line) for line in chosen]
    torn = "".join(line[:cut] for line, cut in zip(chosen, cuts, strict=True))
    letters = list(torn)
    for _ in range(chance.randrange(12)):
        if letters:
            letters[chance.randrange(len(letters))] = chance.choice("\x1b\u202e\x00|=()[]{}9$`'\"\n\\")
    sound(read("".join(letters).encode("utf-8", "replace")))


@settings(max_examples=60)
@given(st.randoms(use_true_random=False))
def test_manners_of_pasting_change_no_finding(chance: random.Random) -> None:
    case = chance.choice(sorted(path.parent for path in CASES.glob("*/case.yaml")))
    files = [path for path in sorted(case.iterdir()) if path.name != "case.yaml"]
    texts = [decoded(path.read_bytes()) for path in files]
    plainly = diagnosed(read(*(text.encode() for text in texts)))
    manner = chance.choice((crlf, utf16, coloured, fenced))
    pasted = diagnosed(read(*(manner(text) for text in texts)))
    assert [item.id for item in pasted.findings] == [item.id for item in plainly.findings]


def crlf(text: str) -> bytes:
    return text.replace("\n", "\r\n").encode()


def utf16(text: str) -> bytes:
    return text.encode("utf-16")


def coloured(text: str) -> bytes:
    return "\n".join(f"\x1b[1;32m{line}\x1b[0m" if line else line for line in text.split("\n")).encode()


def fenced(text: str) -> bytes:
    return f"Hello, this is what I see:\n\n```\n{text}\n```\n".encode()


def test_no_pattern_runs_away_on_a_megabyte() -> None:
    """Where a pattern steps back over all that it repeats, one of these takes minutes, not seconds."""
    for text in slow_texts("".join(samples())):
        started = time.process_time()
        read(text.encode())
        assert time.process_time() - started < 30, text[:20]


def test_a_page_of_fifty_megabytes_takes_less_than_two_hundred_megabytes() -> None:
    pytest.importorskip("resource")
    text = ("".join(samples()) * 400)[: 50 << 20].encode()
    tracemalloc.start()
    report_of([bounded("paste.txt", BytesIO(text))], ready())
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 200 << 20


def test_there_are_formats_and_messages_to_test() -> None:
    assert len(ready().formats) > 20
    assert len(ready().messages) > 50
