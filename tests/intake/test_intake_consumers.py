"""Nothing is read that nobody uses: every answer that a format notes is asked for somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import dlsetup

ROOT = Path(dlsetup.__file__).parent
NOTED = re.compile(r'observed\(\s*"([\w.-]+)"')


def text_of(*rooms: str) -> str:
    return "\n".join(file.read_text() for room in rooms for file in sorted((ROOT / room).rglob("*.py")))


def test_every_noted_answer_has_a_reader() -> None:
    noted = set(NOTED.findall(text_of("intake/formats")))
    readers = text_of("judge", "show", "commands") + (ROOT / "intake/distributions.py").read_text()
    assert len(noted) > 20
    assert sorted(subject for subject in noted if f'"{subject}"' not in readers) == []
