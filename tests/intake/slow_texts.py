"""Texts of a megabyte that are made to be slow: long runs of what the patterns of formats repeat."""

from __future__ import annotations

SIZE = 1_000_000


def slow_texts(samples: str) -> tuple[str, ...]:
    """Each as long as `SIZE`; the last of them are real reports, one after the other."""
    runs = ("a", "| ", "1.2.3.4 ", "torch==", "GPU 0: ", "x " * 2000 + "\n", samples)
    return tuple((run * (SIZE // len(run) + 1))[:SIZE] for run in runs)
