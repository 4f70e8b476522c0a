"""Runs inside the environment that is checked: `python -I child.py MODULE SECONDS`.

Imports nothing but the standard library. Prints one line of JSON; whatever a framework prints goes to
standard error. Ends itself after SECONDS, in case nobody is left to end it.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import signal
import sys
import time
from typing import Any

SIZE = 16


def main(module: str, seconds: int) -> None:
    """Looks at one framework and prints what it saw."""
    answer = os.dup(1)
    os.dup2(2, 1)
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)
    began = time.monotonic()
    try:
        seen = look(module)
    except BaseException as error:
        seen = {"error": f"{type(error).__name__}: {error}"}
    seen["seconds"] = round(time.monotonic() - began, 3)
    os.write(answer, (json.dumps(seen) + "\n").encode())
    # A framework's own threads may hang at exit; the answer is given.
    os._exit(0)


def look(module: str) -> dict[str, Any]:
    """What the program of that module saw; without a program, that it can be imported."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", f"{module}.py")
    if not os.path.isfile(path):
        imported = importlib.import_module(module)
        return {"version": str(getattr(imported, "__version__", ""))}
    left, right = matrices()
    seen: dict[str, Any] = runpy.run_path(path)["look"](left, right)
    wanted = seen.pop("wanted", None) or multiplied(left, right)
    computed = seen.pop("computed", wanted)
    if not equal(computed, wanted):
        seen["error"] = f"computed {first(computed)} where {first(wanted)} is right"
    return {name: value if isinstance(value, list) else str(value) for name, value in seen.items()}


def matrices() -> tuple[list[list[float]], list[list[float]]]:
    """Small whole numbers: their product is exact in every floating-point format a GPU may choose."""
    left = [[float((row * 3 + column * 5) % 7 - 3) for column in range(SIZE)] for row in range(SIZE)]
    right = [[float((row * 2 + column) % 5 - 2) for column in range(SIZE)] for row in range(SIZE)]
    return left, right


def multiplied(left: list[list[float]], right: list[list[float]]) -> list[list[float]]:
    columns = list(zip(*right))  # noqa: B905
    return [[sum(map(float.__mul__, row, column)) for column in columns] for row in left]


def equal(computed: Any, wanted: Any) -> bool:
    if isinstance(wanted, list):
        same_length = isinstance(computed, list) and len(computed) == len(wanted)
        return same_length and all(map(equal, computed, wanted))
    return isinstance(computed, (int, float)) and abs(computed - wanted) < 1e-3


def first(value: Any) -> str:
    """The beginning of a result, short enough for a message."""
    return json.dumps(value)[:60]


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
