"""The checks, and the one way to run them all."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module

from msgspec.structs import replace

from dlsetup.judge import checks
from dlsetup.judge.roles import in_order
from dlsetup.judge.scene import Scene
from dlsetup.judge.sentences import capitalised
from dlsetup.model.finding import Diagnosis, Finding
from dlsetup.model.framework import Catalog
from dlsetup.model.machine import Gap, Machine
from dlsetup.model.record import Record

Answer = Finding | Gap
Question = Callable[[Scene], Iterable[Answer]]


class Check(Record, frozen=True, kw_only=True):
    """A question asked of every machine, and the ids of the findings it may answer with."""

    ids: tuple[str, ...]
    """`<framework>` inside an id stands for the name of any framework. None: it only names gaps."""
    question: Question
    told: bool = False
    """Whether it rests on what programs say: it is heard where no check of facts finds the same."""
    written: bool = False
    """Whether it rests on what files ask for: it is heard last, where no other check finds the same."""

    @property
    def about(self) -> str:
        """What it looks for, in one line."""
        return (self.question.__doc__ or "").strip().partition("\n")[0]


def check(*ids: str, told: bool = False, written: bool = False) -> Callable[[Question], Check]:
    """Make a check of a function that yields findings, and gaps where one fact would settle it."""
    return lambda question: Check(ids=ids, question=question, told=told, written=written)


def every_check() -> tuple[Check, ...]:
    """All checks in `judge/checks`, in the order of their names."""
    names = sorted(found.name for found in pkgutil.iter_modules(checks.__path__))
    modules = [import_module(f"{checks.__name__}.{name}") for name in names]
    return tuple(item for module in modules for item in vars(module).values() if isinstance(item, Check))


def judge(machine: Machine, catalog: Catalog, known: Iterable[Check] | None = None) -> Diagnosis:
    """What is wrong with the machine, the cause first, and what would have to be known to say more.

    `known`: the checks; who judges many machines finds them once.
    """
    scene = Scene.of(machine, catalog)
    asked = every_check() if known is None else known
    findings: list[Finding] = []
    gaps: dict[Gap, None] = {}
    for item in sorted(asked, key=lambda item: (item.written, item.told)):
        said = {finding.id for finding in findings} if item.told or item.written else set()
        for answer in _ask(item, scene):
            if isinstance(answer, Gap):
                gaps[answer] = None
            elif answer.id not in said:
                findings.append(_well_begun(answer))
    return Diagnosis(findings=in_order(findings), unknown=tuple(gaps))


def _well_begun(finding: Finding) -> Finding:
    """The finding with a first remedy that does not begin with `Or`: the one before it did not apply."""
    first = next(iter(finding.remedies), None)
    if first is None or not first.text.startswith("Or "):
        return finding
    text = first.text.removeprefix("Or ")
    first = replace(first, text=capitalised(text))
    return replace(finding, remedies=(first, *finding.remedies[1:]))


def _ask(item: Check, scene: Scene) -> Iterator[Answer]:
    """The answers of one check. A check that fails says so and hides nothing else."""
    try:
        yield from item.question(scene)
    except Exception as exc:
        reason = f"the check failed: {type(exc).__name__}: {exc}"
        yield Gap(fact=f"check {item.question.__name__}", reason=reason)
