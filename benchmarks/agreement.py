"""Holds the verdicts of `resolve` against uv's, on the real metadata of the index that uv is configured with.

    .venv/bin/python benchmarks/agreement.py [pins|plans] [--seed 7] [--combinations 320] [--targets 100] [--offline]

`pins`: combinations of builds drawn at random; `resolve` and `uv pip compile` have to say the same of versions,
Pythons and wheels, and what `resolve` alone refuses is listed with its clauses. `plans`: every plan that `resolve`
gives for machines and wishes drawn at random, those of the ways out too, has to lock as `create env` asks for it.
Ends with 1 where anything disagrees. What uv fetched stays in a cache folder: with `--offline` nothing else is read.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, TypeVar

from draws import Combination, Errand, combination, errand
from msgspec.structs import replace
from packaging.specifiers import SpecifierSet
from platformdirs import user_cache_path
from uv_answers import Answer, Uv

from dlsetup.catalog.load import load
from dlsetup.intake.target import parse
from dlsetup.intake.wish import parse_python, parse_wanted
from dlsetup.model.framework import Catalog
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.model.wish import Wanted, Wish
from dlsetup.resolve import resolve
from dlsetup.resolve.companions import FILES_RULE
from dlsetup.resolve.core import smallest_core
from dlsetup.resolve.explain import clauses_of
from dlsetup.resolve.pieces import BuildChoice, Force
from dlsetup.resolve.question import FAMILY_RULE, VARIANT_RULE, Question
from dlsetup.resolve.refusals import DRIVER_RULE, GPU_RULE, KERNELS_RULE, LIBRARY_RULE
from dlsetup.resolve.search import settle

BEYOND_PINS = frozenset(
    {FILES_RULE, FAMILY_RULE, VARIANT_RULE, DRIVER_RULE, GPU_RULE, KERNELS_RULE, LIBRARY_RULE}
)
"""Rules of which uv knows nothing."""
T = TypeVar("T")
R = TypeVar("R")


class Verdict(NamedTuple):
    """What `resolve` says of a combination."""

    pins: bool
    """Whether versions, Pythons and wheels go together."""
    clauses: tuple[str, ...] = ()
    """What stands against it, by whichever rule."""
    picks: tuple[str, ...] = ()
    """How uv is asked for everything that the search settled by pins alone."""


def verdict(drawn: Combination, catalog: Catalog) -> Verdict:
    """Of exactly these builds; what they bring along may be any build of the configured index."""
    names = [build.framework for build in drawn.builds]
    own = {build.framework: (build,) for build in drawn.builds}
    known = load(names)
    frameworks = tuple(
        replace(item, builds=own.get(item.name) or tuple(b for b in item.builds if b.index == "default"))
        for item in known.frameworks
    )
    wanted = tuple(
        Wanted(framework=item.framework, specifier=SpecifierSet(f"=={item.version}"), text=f"{item.framework}=={item.version}")
        for item in drawn.builds
    )
    wish = Wish(wanted=wanted, python=SpecifierSet(f"=={drawn.python}.*"))
    question = Question(wish, drawn.target, replace(known, frameworks=frameworks))
    by_pins = settle(question, Force(without=BEYOND_PINS))
    if by_pins is not None and settle(question) is not None:
        clauses: tuple[str, ...] = ()
    else:
        clauses = tuple(item.text for item in clauses_of(question, smallest_core(question)))
    picks = [item.build for item in (by_pins or {}).values() if isinstance(item, BuildChoice)]
    return Verdict(by_pins is not None, clauses, tuple(text for item in picks for text in item.requirements))


def compared(drawn: Combination, said: Verdict, uv: Uv) -> tuple[str, str]:
    """The kind of (dis)agreement, and its words."""
    asked = [text for build in drawn.builds for text in build.requirements]
    answer = uv.compiles(asked, drawn.python, drawn.target)
    if answer.locks and said.pins:
        return ("only dlsetup refuses", "; ".join(said.clauses)) if said.clauses else ("both accept", "")
    if answer.locks:
        return "only uv accepts", "; ".join(said.clauses)
    if not said.pins:
        return "both refuse", f"{'; '.join(said.clauses)} | {answer.words}"
    flat = uv.compiles(said.picks, drawn.python, drawn.target, deep=False)
    return ("only uv refuses, deeper" if flat.locks else "only uv refuses"), answer.words


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("part", nargs="?", choices=("pins", "plans"), help="none: both")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--combinations", type=int, default=320)
    parser.add_argument("--targets", type=int, default=100)
    parser.add_argument("--offline", action="store_true", help="read what an earlier run has fetched")
    asked = parser.parse_args()
    uv = Uv(user_cache_path("dlsetup-agreement"), offline=asked.offline)
    catalog = load(None)
    drawn = [combination(catalog, random.Random(f"{asked.seed} pins {turn}")) for turn in range(asked.combinations)]
    said = [verdict(item, catalog) for item in drawn]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda pair: compared(*pair, uv), zip(drawn, said)))
    for item, (kind, words) in zip(drawn, found, strict=True):
        print(f"{kind}\t{item}\n    {words}")
    print(Counter(kind for kind, _ in found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
