"""How long a megabyte of pasted text takes to be read, for texts that are made to be slow and for real ones.

.venv/bin/python benchmarks/paste.py
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from dlsetup.catalog.messages import knowledge
from dlsetup.commands.pasted import ways
from dlsetup.intake.report import report_of

TESTS = Path(__file__).parent.parent / "tests"
sys.path.append(str(TESTS / "intake"))

from slow_texts import slow_texts  # noqa: E402


def main() -> None:
    reports = sorted(path for path in (TESTS / "cases").glob("*/*") if path.is_file())
    samples = "".join(path.read_text("utf-8", "replace") for path in reports)
    known = ways(knowledge())
    report_of([("paste.txt", samples[:1000].encode())], known)
    for text in slow_texts(samples):
        started = time.process_time()
        report_of([("paste.txt", text.encode())], known)
        print(f"{time.process_time() - started:.2f} s  {text[:20]!r}")


if __name__ == "__main__":
    main()
