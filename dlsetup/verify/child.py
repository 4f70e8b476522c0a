"""Runs inside the environment that is checked: `python -I child.py look|prove|measure NAME SECONDS [JSON]`.

`look` uses one framework, NAME being its module; `prove` runs the program NAME of one capability; `measure`
the program NAME that measures, with what it is told as JSON.
Imports nothing but the standard library. Prints one line of JSON; whatever a framework prints goes to
standard error, and so does where it hangs. Ends itself after SECONDS, in case nobody is left to end it.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import json
import os
import runpy
import signal
import sys
import time
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
SIZE = 16
DIE_WITH_PARENT = 1
"""`PR_SET_PDEATHSIG` of Linux."""


def main(kind: str, name: str, seconds: int, told: str = "{}") -> None:
    """Does one thing with a framework and prints what came of it."""
    answer = os.dup(1)
    os.dup2(2, 1)
    bound(seconds)
    # Last, and under names that no distribution has: nothing that is installed is hidden.
    sys.path.append(os.path.join(HERE, "shared"))
    began = time.monotonic()
    try:
        if kind == "measure":
            seen = measure(name, json.loads(told), answer)
        else:
            seen = {"look": look, "prove": prove}[kind](name)
    except BaseException as error:
        seen = {"error": f"{type(error).__name__}: {error}"}
        show(error)
    seen["seconds"] = round(time.monotonic() - began, 3)
    seen["peak_bytes"] = peak()
    os.write(answer, (json.dumps(seen) + "\n").encode())
    # A framework's own threads may hang at exit; the answer is given.
    os._exit(0)


def bound(seconds: int) -> None:
    """Says where it stands before its time is over or when it crashes, and ends with whoever began it."""
    faulthandler.enable()
    faulthandler.dump_traceback_later(max(seconds - 1, 0.5))
    if hasattr(signal, "alarm"):
        signal.alarm(seconds + 5)
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(DIE_WITH_PARENT, int(signal.SIGKILL))


def show(error: BaseException) -> None:
    """The traceback, for whoever reads standard error to find the cause in."""
    import traceback

    traceback.print_exception(type(error), error, error.__traceback__)
    sys.stderr.flush()


def peak() -> int:
    """Bytes of memory that this process had at most; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def look(module: str) -> dict[str, Any]:
    """What the program of that module saw; without a program, that it can be imported."""
    path = os.path.join(HERE, "programs", f"{module}.py")
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


def prove(program: str) -> dict[str, Any]:
    """What the program of a capability tells; it raises where the capability is not there."""
    seen: dict[str, Any] = runpy.run_path(os.path.join(HERE, "capabilities", f"{program}.py"))["prove"]()
    return seen


def measure(program: str, told: dict[str, Any], answer: int) -> dict[str, Any]:
    """What a program measured. What it knows on the way is written at once: it may be ended at any time."""
    give_way()
    known: dict[str, Any] = {}

    def so_far(seen: dict[str, Any]) -> None:
        known.update(seen, unfinished=True)
        os.write(answer, (json.dumps(known) + "\n").encode())

    path = os.path.join(HERE, "measures", f"{program}.py")
    try:
        seen: dict[str, Any] = runpy.run_path(path)["measure"](told, so_far)
    except Exception as error:
        show(error)
        return {**known, "error": f"{type(error).__name__}: {error}"}
    return seen


def give_way() -> None:
    """Where memory ends, the kernel ends this process and not the display."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


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
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), *sys.argv[4:5])
