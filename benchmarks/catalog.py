"""How long the catalog takes to load, how many files are opened for it, and how large it is.

    python benchmarks/catalog.py [--runs 20]

Loading means: every file that the question needs is read and found well formed; curated files become records.
"All builds" is the further step that no single question takes: every build of every release is made.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from dlsetup.catalog.folders import PACKAGED
from dlsetup.catalog.load import load, names
from dlsetup.model.framework import Catalog

BOUND = 0.050
OPENED: list[str] = []


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    words.add_argument("--runs", type=int, default=20)
    runs = words.parse_args().runs
    sys.addaudithook(_note)
    load()
    print("| question | load | files | builds | all builds |\n| --- | --- | --- | --- | --- |")
    for wanted in (["torch"], ["jax"], ["tensorflow"], ["torch", "tensorflow", "jax"], list(names())):
        OPENED.clear()
        catalog = load(wanted)
        files = len(set(OPENED))
        seconds = median(partial(load, wanted), runs)
        making = median(partial(load_and_make, wanted), max(3, runs // 4)) - seconds
        title = ", ".join(wanted) if len(wanted) < 4 else f"all {len(wanted)}"
        mark = f" (≤ {BOUND * 1000:.0f} ms {'✓' if seconds <= BOUND else '✗'})" if len(wanted) > 3 else ""
        figures = f"{files} | {builds(catalog)} | {making * 1000:.0f} ms"
        print(f"| {title} | {seconds * 1000:.1f} ms{mark} | {figures} |")
    size = sum(path.stat().st_size for path in PACKAGED.rglob("*") if path.is_file())
    print(f"\ndata: {len(list(PACKAGED.rglob('*.*')))} files, {size / 1e6:.2f} MB")


def load_and_make(wanted: list[str]) -> int:
    """Loads, and makes every build."""
    return builds(load(wanted))


def builds(catalog: Catalog) -> int:
    """How many builds there are; makes them all."""
    return sum(len(framework.builds) for framework in catalog.frameworks)


def median(work: Callable[[], object], runs: int) -> float:
    """Seconds, the middle of several runs."""
    taken = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def _note(event: str, words: tuple[object, ...]) -> None:
    if event == "open" and words and str(words[0]).startswith(str(Path(PACKAGED))):
        OPENED.append(str(words[0]))


if __name__ == "__main__":
    main()
