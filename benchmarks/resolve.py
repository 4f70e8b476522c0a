"""How fast questions are answered, held against bounds, measured on this machine.

    python benchmarks/resolve.py [--runs 7] [--limit 60]

It asks the installed package: every framework of the catalog by itself and in one plan, a refusal with its
ways out, and the growth from 1 to 12 frameworks and from 1 to 8 GPUs. No network is used. Exit code 1 where a
bound is missed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from measure import Command, measure

LINUX = "os=linux,arch=x86_64,glibc=2.35,driver=580.65.06"
TARGET = f'{LINUX},gpu="RTX 4090"'
OLD_DRIVER = 'os=linux,arch=x86_64,glibc=2.35,driver=535.129.03,gpu="RTX 4090"'
REFUSED = ("torch==2.15.0", "tensorflow", "jax")
GROWING = (
    *("torch", "jax", "tensorflow", "torchvision", "torchaudio", "onnxruntime"),
    *("lightning", "flax", "optax", "keras", "opencv", "onnx"),
)
GPUS = ("RTX 4090", "A100", "H100", "L4", "T4", "RTX 3090", "A10", "L40S")
ALL_BOUND, REFUSAL_BOUND, SINGLE_BOUND = 0.5, 1.0, 1.3

ASK_ALL = """
import sys, time
start = time.perf_counter()
from dlsetup.catalog.load import load, names
from dlsetup.intake.target import parse
from dlsetup.intake.wish import parse_wanted
from dlsetup.model.resolution import Plan
from dlsetup.model.wish import Wish
from dlsetup.resolve import resolve
target, asked = parse(sys.argv[1]), sys.argv[2:] or names()
if sys.argv[2:]:
    answer = resolve(Wish(wanted=tuple(map(parse_wanted, asked))), target, load(asked))
    fit = isinstance(answer, Plan)
else:
    catalog = load(asked)
    answers = [resolve(Wish(wanted=(parse_wanted(name),)), target, catalog) for name in asked]
    fit = sum(isinstance(answer, Plan) for answer in answers)
print(time.perf_counter() - start, len(asked), int(fit))
"""


class Row(NamedTuple):
    """One figure: a time in seconds, or a ratio."""

    what: str
    figure: str
    value: float
    bound: float | None = None

    @property
    def missed(self) -> bool:
        return self.bound is not None and self.value > self.bound

    def __str__(self) -> str:
        bound = "" if self.bound is None else f"≤ {self.bound} {'✗' if self.missed else '✓'}"
        return f"| {self.what} | {self.figure} | {bound} |"


def main() -> int:
    words = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    words.add_argument("--runs", type=int, default=7)
    words.add_argument("--limit", type=float, default=60.0, help="seconds for one question")
    asked = words.parse_args()
    print("| what | figure | bound |\n| --- | --- | --- |")
    missed = False
    for row in rows(asked.runs, asked.limit):
        print(row, flush=True)
        missed = missed or row.missed
    return int(missed)


def rows(runs: int, limit: float) -> Iterator[Row]:
    yield each_by_itself(runs, limit)
    yield together(limit)
    yield from singles(runs)
    yield refusal(runs)
    yield from growth(runs)


def each_by_itself(runs: int, limit: float) -> Row:
    """Every framework answered, one after another, in one process."""
    times = [_inside(limit, TARGET) for _ in range(runs)]
    seconds = statistics.median(time for time, _, _ in times)
    _, count, fit = times[0]
    what = f"each of the {count} frameworks of the catalog on one target, {fit} of them with a plan"
    return Row(what, f"{seconds * 1000:.0f} ms", seconds, ALL_BOUND)


def together(limit: float) -> Row:
    """All that have a plan by themselves in one question, which has none, with its core and its ways out."""
    names = [name for name in _names() if _answers(name)]
    what = f"one question for all {len(names)} frameworks that fit by themselves"
    try:
        seconds, _, fit = _inside(limit, TARGET, *names)
    except subprocess.TimeoutExpired:
        return Row(what, f"no answer within {limit:.0f} s", limit, ALL_BOUND)
    except subprocess.CalledProcessError as exc:
        return Row(what, f"given up: {exc.stderr.splitlines()[-1]}", limit, ALL_BOUND)
    return Row(f"{what}: {'a plan' if fit else 'a refusal'}", f"{seconds:.2f} s", seconds, ALL_BOUND)


def singles(runs: int) -> Iterator[Row]:
    """The command for one framework against the command that does nothing."""
    names = _names()
    version, *found = measure(
        Command(_dlsetup("--version")), *(_question(TARGET, name) for name in names), runs=runs
    )
    ratios = sorted((item.seconds / version.seconds, name) for item, name in zip(found, names, strict=True))
    middle, worst = statistics.median(ratio for ratio, _ in ratios), ratios[-1]
    figure = f"{middle:.2f} × {version.seconds * 1000:.0f} ms"
    yield Row("`resolve` of one framework against `--version`, median", figure, middle, SINGLE_BOUND)
    yield Row(f"the slowest of them, {worst[1]}", f"{worst[0]:.2f} ×", worst[0])


def refusal(runs: int) -> Row:
    """A conflict, its smallest core and every way out, as a command."""
    (found,) = measure(_question(OLD_DRIVER, *REFUSED), runs=runs)
    return Row(f"refusal of `{' '.join(REFUSED)}`", f"{found.seconds:.2f} s", found.seconds, REFUSAL_BOUND)


def growth(runs: int) -> Iterator[Row]:
    counts = (1, 2, 4, 8, 12)
    found = measure(*(_question(TARGET, *GROWING[:count]) for count in counts), runs=runs)
    yield _grown("frameworks", counts, [item.seconds for item in found])
    counts = (1, 2, 4, 8)
    targets = [LINUX + "".join(f',gpu="{name}"' for name in GPUS[:count]) for count in counts]
    found = measure(*(_question(target, "torch", "jax", "tensorflow") for target in targets), runs=runs)
    yield _grown("GPUs", counts, [item.seconds for item in found])


def _grown(what: str, counts: Sequence[int], seconds: Sequence[float]) -> Row:
    figures = ", ".join(f"{count}: {time * 1000:.0f} ms" for count, time in zip(counts, seconds, strict=True))
    return Row(f"{counts[0]} to {counts[-1]} {what}", figures, seconds[-1])


def _names() -> list[str]:
    from dlsetup.catalog.load import names

    return list(names())


def _answers(name: str) -> bool:
    argv = _question(TARGET, name).argv
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    return done.returncode == 0 and json.loads(done.stdout)["ok"]


def _question(target: str, *names: str) -> Command:
    return Command(_dlsetup("resolve", *names, "--target", target, "--json"), codes=(0, 1))


def _dlsetup(*words: str) -> tuple[str, ...]:
    return sys.executable, "-m", "dlsetup", *words


def _inside(limit: float, target: str, *names: str) -> tuple[float, int, int]:
    argv = [sys.executable, "-c", ASK_ALL, target, *names]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=limit)
    seconds, count, fit = done.stdout.split()
    return float(seconds), int(count), int(fit)


if __name__ == "__main__":
    sys.exit(main())
