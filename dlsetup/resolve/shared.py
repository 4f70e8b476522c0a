"""One platform, several targets: one build of each framework has to serve them all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from dlsetup.model.framework import Catalog
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.target import Target
from dlsetup.model.wish import Wish
from dlsetup.resolve.devices import STRICT, Devices, devices_of
from dlsetup.resolve.pieces import Choice, Refusal
from dlsetup.resolve.question import Question
from dlsetup.resolve.refusals import GPU_RULE

OF_A_TARGET = ("fact", "gpu")
"""Kinds of clauses that hold for one target; wishes and rules hold for all."""


class Member(NamedTuple):
    """One target among several, by its number."""

    number: int
    question: Question
    carried: bool = False
    """It has no GPU that is known of: what is built for that of another one is installed there as well."""


class Shared(Question):
    """A question of which every choice has to be admitted by each of several targets of one platform."""

    def __init__(self, wish: Wish, targets: Sequence[tuple[int, Target]], catalog: Catalog) -> None:
        super().__init__(wish, targets[0][1], catalog)
        common = common_devices(wish, [target for _, target in targets])
        self.members = tuple(
            _member(number, Question(wish, target, catalog), common) for number, target in targets
        )
        self.devices = common or self.devices
        ceilings = [item.question.ceiling for item in self.members if not item.carried]
        self.ceiling = min((item for item in ceilings if not isinstance(item, Unknown)), default=UNKNOWN)

    def refusals(self, choice: Choice) -> Iterator[Refusal]:
        for member in self.members:
            for refusal in member.question.refusals(choice):
                for clauses in _told(member, [refusal.clauses]):
                    yield refusal._replace(clauses=clauses)

    def forbids_anywhere(self, choice: Choice) -> Iterator[frozenset[str]]:
        for member in self.members:
            yield from _told(member, member.question.forbids_anywhere(choice))

    def forbids_here(self, choice: Choice) -> Iterator[frozenset[str]]:
        for member in self.members:
            yield from _told(member, member.question.forbids_here(choice))


def common_devices(wish: Wish, targets: Sequence[Target]) -> Devices | None:
    """The one kind of device that those of the targets have which have any; None where there is not one."""
    found = [devices_of(wish, target) for target in targets if _has_device(wish, target)]
    kinds = {item.accelerator for item in found}
    return found[0] if len(kinds) == 1 else None


def clause_of(clause: str, number: int) -> str:
    """`fact driver` as it is said of the second target: `fact driver @2`."""
    return f"{clause} @{number}" if clause.partition(" ")[0] in OF_A_TARGET else clause


def clause_for(clause: str, number: int) -> str | None:
    """The same the other way round; None where it is said of another target."""
    bare, mark, whose = clause.rpartition(" @")
    if not mark or not whose.isdigit():
        return clause
    return bare if int(whose) == number else None


def _has_device(wish: Wish, target: Target) -> bool:
    own = devices_of(replace(wish, accelerator=None, cuda=None), target)
    return own.accelerator in STRICT or (own.accelerator != "cpu" and not isinstance(target.gpus, Unknown))


def _member(number: int, question: Question, common: Devices | None) -> Member:
    if common is None or common.accelerator == "cpu" or _has_device(question.wish, question.target):
        return Member(number, question)
    question.devices = common
    question.known = replace(question.known, driver=UNKNOWN, cuda_ceiling=UNKNOWN, gpus=UNKNOWN)
    return Member(number, question, carried=True)


def _told(member: Member, forbidding: Iterable[frozenset[str]]) -> Iterator[frozenset[str]]:
    """What one target forbids, with its number; which device is meant, those that have it say."""
    for clauses in forbidding:
        if not (member.carried and GPU_RULE in clauses):
            yield frozenset(clause_of(clause, member.number) for clause in clauses)
