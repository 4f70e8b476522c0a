"""Holds the verdicts of `resolve` against uv's, on the real metadata of the index that uv is configured with.

    .venv/bin/python benchmarks/agreement.py [pins|plans] [--seed 7] [--combinations 320] [--targets 100]

`pins`: combinations of builds drawn at random; `resolve` and `uv pip compile` have to say the same of
versions, Pythons and wheels, and what `resolve` alone refuses is listed with its clauses. `plans`: every plan
that `resolve` gives for machines and wishes drawn at random, those of the ways out too, has to lock as
`create env` asks for it. Ends with 1 where anything disagrees. What uv fetched stays in a cache folder: with
`--offline` nothing else is read.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import NamedTuple

from draws import Combination, Errand, combination, errand
from packaging.specifiers import SpecifierSet
from platformdirs import user_cache_path
from uv_answers import Uv
from verdicts import Verdict, verdict

from dlsetup.catalog.load import load
from dlsetup.intake.target import describe, parse
from dlsetup.intake.wish import parse_python, parse_wanted
from dlsetup.model.framework import Catalog
from dlsetup.model.resolution import Plan
from dlsetup.model.wish import Wish
from dlsetup.resolve import resolve

AT_ONCE = 6
"""Questions to uv under way at once: it waits for the index most of the time."""
LONGEST = 30
"""Seconds that `resolve` may take for one answer."""
TOO_LONG = f"no answer within {LONGEST} s"
WRONG = ("only dlsetup accepts", "only uv accepts", "does not lock", TOO_LONG)
ELSEWHERE = "comes from other indexes too"


class Outcome(NamedTuple):
    kind: str
    question: str
    words: str = ""


def pins(count: int, seed: int, catalog: Catalog, uv: Uv) -> Iterator[Outcome]:
    """The verdicts on combinations, each as what it comes to."""
    drawn = [combination(catalog, random.Random(f"{seed} pins {turn}")) for turn in range(count)]
    with ProcessPoolExecutor(2) as processes, ThreadPoolExecutor(AT_ONCE) as threads:

        def compared(item: Combination, said: Verdict | None) -> Outcome:
            if said is None:
                return Outcome(TOO_LONG, str(item))
            asked = [text for build in item.builds for text in build.requirements]
            answer = uv.compiles(asked, item.python, item.target)
            doubted = said.pins and not answer.locks
            deeper = doubted and uv.compiles_flat(said.requires, said.ready, item.python, item.target).locks
            words = "; ".join((*said.against, answer.words)).strip("; ")
            return Outcome(compared_kind(said, locks=answer.locks, deeper=deeper), str(item), words)

        yield from threads.map(compared, drawn, processes.map(judged, drawn))


def judged(item: Combination) -> Verdict | None:
    """None where it takes too long. Meant for a process of its own."""
    signal.signal(signal.SIGALRM, _give_up)
    signal.alarm(LONGEST)
    try:
        return verdict(item)
    except TimeoutError:
        return None
    finally:
        signal.alarm(0)


def compared_kind(said: Verdict, *, locks: bool, deeper: bool) -> str:
    """`deeper`: uv finds nothing against what the frameworks require themselves."""
    if said.pins and locks:
        return "only dlsetup refuses: other rules" if said.against else "both accept"
    if said.pins:
        return "only uv refuses: wheels or requirements of libraries" if deeper else "only dlsetup accepts"
    if not locks:
        return "both refuse"
    return "only dlsetup refuses: metadata forget it" if said.by_metadata else "only uv accepts"


def plans(count: int, seed: int, catalog: Catalog, uv: Uv) -> Iterator[Outcome]:
    """Whether each plan locks, once for each that is given."""
    names = [item.name for item in catalog.frameworks]
    drawn = [errand(names, turn, random.Random(f"{seed} plans {turn}")) for turn in range(count)]
    with ProcessPoolExecutor(2) as processes, ThreadPoolExecutor(AT_ONCE) as threads:
        given = list(zip(drawn, processes.map(answers, drawn), strict=True))
        yield from (Outcome(TOO_LONG, str(item)) for item, found in given if found is None)
        every = {title(plan): plan for _, found in given for plan in found or ()}
        yield from threads.map(lambda pair: lock_of(pair[1], pair[0], uv), every.items())


def title(plan: Plan) -> str:
    return f"{' '.join(plan.requirements)} on {describe(plan.target)}, Python {plan.python}"


def lock_of(plan: Plan, question: str, uv: Uv) -> Outcome:
    if any(index.url is not None for index in plan.indexes):
        return Outcome(ELSEWHERE, question)
    answer = uv.locks(plan)
    return Outcome("locks" if answer.locks else "does not lock", question, answer.words)


def answers(item: Errand) -> list[Plan] | None:
    """The plan, or those of the ways out; None where it takes too long. Meant for a process of its own."""
    signal.signal(signal.SIGALRM, _give_up)
    signal.alarm(LONGEST)
    try:
        python = parse_python(item.python) if item.python else SpecifierSet()
        wish = Wish(wanted=tuple(map(parse_wanted, item.frameworks)), python=python)
        answer = resolve(wish, parse(item.words), load(list(item.frameworks)))
    except TimeoutError:
        return None
    finally:
        signal.alarm(0)
    return [answer] if isinstance(answer, Plan) else [plan for way in answer.ways_out for plan in way.plans]


def _give_up(_signal: int, _frame: object) -> None:
    raise TimeoutError


def told(title: str, outcomes: Iterator[Outcome], *, every: bool) -> bool:
    """Print what disagrees and what only one refuses, then the sums; whether nothing is wrong."""
    counted: Counter[str] = Counter()
    for item in outcomes:
        counted[item.kind] += 1
        if every or item.kind.startswith("only") or item.kind in WRONG:
            print(
                f"{item.kind}\n    {item.question}\n" + f"    {item.words}\n" * bool(item.words), flush=True
            )
    print(f"{title}, {sum(counted.values())} in all:")
    for kind, number in sorted(counted.items()):
        print(f"    {number:4} {kind}")
    return not any(counted[kind] for kind in WRONG)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("part", nargs="?", choices=("pins", "plans"), help="none: both")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--combinations", type=int, default=320)
    parser.add_argument("--targets", type=int, default=100)
    parser.add_argument("--offline", action="store_true", help="read what an earlier run has fetched")
    parser.add_argument("--all", action="store_true", help="print what agrees as well")
    asked = parser.parse_args()
    uv = Uv(user_cache_path("dlsetup-agreement"), offline=asked.offline)
    catalog = load(None)
    fine = True
    if asked.part != "plans":
        found = pins(asked.combinations, asked.seed, catalog, uv)
        fine = told("Combinations", found, every=asked.all) and fine
    if asked.part != "pins":
        fine = told("Plans", plans(asked.targets, asked.seed, catalog, uv), every=asked.all) and fine
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
